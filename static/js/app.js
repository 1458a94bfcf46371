// Makes the dashboard quicker to use. Every page works without it.
import { startCalendar } from "/static/js/calendar.js";
import { startComposer, forgetDrafts } from "/static/js/compose.js";
import { startCountdown } from "/static/js/countdown.js";
import { startDialogs } from "/static/js/dialog.js";
import { startGroups } from "/static/js/groups.js";
import { startLibrary } from "/static/js/media.js";
import { startMenus } from "/static/js/menu.js";
import { startPalette } from "/static/js/palette.js";
import { startShortcuts } from "/static/js/shortcuts.js";
import { startTheme } from "/static/js/theme.js";
import { offerZones, startClocks } from "/static/js/zone.js";
import { startCopying } from "/static/js/copy.js";
import { startLive } from "/static/js/live.js";
import { startMorphing } from "/static/js/morph.js";
import { startSelecting } from "/static/js/select.js";
import { showToast } from "/static/js/toast.js";

startTheme();
startDialogs();
startGroups();
startMenus();
startPalette();
startShortcuts();
startCopying();
startSelecting();
startMorphing();
startLive();
startCalendar();
startComposer();
startLibrary();
forgetDrafts();
offerZones();
startClocks();
startCountdown();

// The arrows on the slides of a preview.
document.addEventListener("click", (event) => {
  const arrow = event.target.closest("[data-turn]");
  const slides = arrow?.closest(".preview-media");
  slides?.scrollBy({ left: Number(arrow.dataset.turn) * slides.clientWidth });
});

// What a card shows when it opens may be below the edge, or behind the bar of a phone.
document.addEventListener("toggle", ({ target }) => target.matches(".fold[open]") && target.scrollIntoView({ block: "nearest" }), true);

// isUpdate reports whether a request is an automatic update of a part of the page.
const isUpdate = (event) => event.detail.requestConfig.elt.hasAttribute("data-live");

// An error is shown in #fault, whatever the request would have replaced.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (!event.detail.isError) return;
  event.detail.swapOverride = "innerHTML";
  document.getElementById("fault")?.toggleAttribute("data-of-update", isUpdate(event));
});

document.addEventListener("htmx:afterRequest", (event) => {
  // A request has succeeded, so the error is outdated. An update does not make the error of another request outdated.
  const fault = document.getElementById("fault");
  if (event.detail.successful && (!isUpdate(event) || fault?.hasAttribute("data-of-update"))) fault?.replaceChildren();
});

document.addEventListener("htmx:beforeSwap", (event) => {
  const { requestConfig, target, xhr } = event.detail;
  if (!requestConfig.elt.hasAttribute("data-live") || xhr.status !== 200 || !target.matches(":active")) return;
  // Replacing an element that is being pressed would lose the click. The update is requested again afterwards.
  event.detail.shouldSwap = false;
  const released = new AbortController();
  const again = () => {
    released.abort();
    setTimeout(() => requestConfig.elt.dispatchEvent(new CustomEvent("live")), 500);
  };
  for (const end of ["pointerup", "pointercancel", "keyup"]) {
    document.addEventListener(end, again, { signal: released.signal });
  }
});

document.addEventListener("htmx:sendError", (event) => {
  // A failed update of data-live is not reported, because the next one may succeed.
  if (event.detail.elt?.hasAttribute("data-live")) return;
  showToast("Cannot reach the server. Check your connection, then try again.");
});

document.addEventListener("htmx:responseError", (event) => {
  // The session has ended: reloading leads to the sign-in page.
  if (event.detail.xhr.status === 401) location.reload();
});
