import { startChoosing } from "/static/js/accounts.js";
import { confirmSending } from "/static/js/confirm.js";
import { showRoom } from "/static/js/counters.js";
import { keepDraft } from "/static/js/draft.js";
import { followKeyboard } from "/static/js/keyboard.js";
import { startRedrawing } from "/static/js/redraw.js";
import { startStrip } from "/static/js/strip.js";

export { forgetDrafts } from "/static/js/draft.js";

// startComposer makes the composer count characters, save drafts in the browser and update the plan.
export async function startComposer() {
  const form = document.getElementById("compose");
  if (!form) return;

  await keepDraft(form);
  const redraw = startRedrawing(form);
  startChoosing(form);
  startStrip(form, redraw);
  startSending(form, redraw);
  startWaiting(form, redraw);
  startCopyingText(form);
  followCauses(form);
  followKeyboard();
  measureSide(form);
  form.addEventListener("input", () => showRoom(form));
  form.addEventListener("redrawn", () => showRoom(form));
  showRoom(form);

  // Opening a tab opens the preview of its network.
  form.addEventListener("change", (event) => {
    if (event.target.name !== "tab") return;
    const preview = document.getElementById(`preview-${event.target.value}`);
    if (preview) preview.open = true;
  });

  // The bar at the bottom of a phone would cover the input for the time and the text below it.
  form.addEventListener("change", (event) => {
    if (event.target.id === "when-at") event.target.closest(".when").scrollIntoView({ block: "nearest" });
  });

  // The form may already contain something: restored by the browser, or typed before this script ran.
  if (form.elements.text.value && !form.querySelector(".plan-rows")) redraw();
}

// measureSide gives the style sheet the height of the column with the previews and the plan.
function measureSide(form) {
  const side = form.querySelector(".composer-side");
  const measure = () => side.style.setProperty("--side", `${side.offsetHeight}px`);
  new ResizeObserver(measure).observe(side);
  form.addEventListener("redrawn", measure); // an update removes the attribute style
}

// startSending submits the form only once. It asks for confirmation before several posts are sent.
function startSending(form, redraw) {
  let agreed = false;
  form.addEventListener("submit", (event) => {
    const button = form.querySelector("#submit");
    if (event.submitter !== button) {
      event.preventDefault();
      redraw();
      return;
    }
    if (!agreed && button.hasAttribute("data-asks")) {
      event.preventDefault();
      confirmSending(form, () => {
        agreed = true;
        form.requestSubmit(button);
      });
      return;
    }
    // Going back may restore this page from the browser's cache, as if the form had not been sent. The page is reloaded
    // in that case.
    setTimeout(() => (button.disabled = true));
    addEventListener("pageshow", () => location.reload(), { once: true });
  });
}

// startWaiting replaces the plan's verdict while files are being uploaded, and after an upload has failed. Until the
// files are ready, nothing can be sent.
function startWaiting(form, redraw) {
  let said = "";
  function show() {
    const panel = form.querySelector(".uploads");
    let words = "";
    if (panel.hasAttribute("data-busy")) words = "Uploading your files. You can continue when they are ready.";
    else if (panel.hasAttribute("data-failed")) words = "A file was not uploaded. Retry or dismiss its upload.";
    const verdict = form.querySelector("#send-says");
    verdict.toggleAttribute("data-uploads", words !== "");
    if (words) verdict.querySelector("span").textContent = words;
    if (panel.hasAttribute("data-busy")) form.querySelector("#submit").disabled = true;
    if (said !== words) redraw();
    said = words;
  }
  form.addEventListener("uploads", show);
  form.addEventListener("redrawn", show);
}

// startCopyingText makes the buttons that copy the shared text to a network's own text work.
function startCopyingText(form) {
  form.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copies-to]");
    if (!button) return;
    const own = document.getElementById(button.dataset.copiesTo);
    own.value = form.elements.text.value;
    own.focus();
    own.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

// followCauses makes a link from a problem in the plan open the tab of its input.
function followCauses(form) {
  form.addEventListener("click", (event) => {
    const link = event.target.closest("a.note-what");
    const input = link && document.getElementById(link.hash.slice(1));
    if (!input) return;
    event.preventDefault();
    const tab = form.querySelector(`#tab-${CSS.escape(input.closest(".tab-panel")?.id.replace("panel-", "") ?? "")}`);
    if (tab) tab.click();
    input.focus();
    input.scrollIntoView({ block: "center" });
  });
}
