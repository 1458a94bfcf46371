import { startChoosing } from "/static/js/accounts.js";
import { confirmSending } from "/static/js/confirm.js";
import { showRoom } from "/static/js/counters.js";
import { keepDraft } from "/static/js/draft.js";
import { followKeyboard } from "/static/js/keyboard.js";
import { startRedrawing } from "/static/js/redraw.js";
import { startStrip } from "/static/js/strip.js";
import { toast } from "/static/js/toast.js";

export { forgetDrafts } from "/static/js/draft.js";

// startComposer counts while one writes, keeps what is written and follows the plan.
export async function startComposer() {
  const form = document.getElementById("compose");
  if (!form) return;

  await keepDraft(form);
  const redraw = startRedrawing(form);
  startChoosing(form);
  startStrip(form, redraw);
  startSending(form, redraw);
  followCauses(form);
  followKeyboard();
  form.addEventListener("input", () => showRoom(form));
  form.addEventListener("redrawn", () => showRoom(form));
  showRoom(form);

  // The preview follows the tab.
  form.addEventListener("change", (event) => {
    if (event.target.name !== "tab") return;
    const preview = document.getElementById(`preview-${event.target.value}`);
    if (preview) preview.open = true;
  });

  // Something may be there already: kept by the browser, or entered before this script ran.
  if (form.elements.text.value && !form.querySelector(".plan-rows")) redraw();
}

// startSending sends once. Several posts are shown once more before they are sent, and anything but sending shows the plan.
function startSending(form, redraw) {
  let agreed = false;
  form.addEventListener("submit", (event) => {
    const button = form.querySelector("#submit");
    if (event.submitter !== button) {
      event.preventDefault();
      redraw();
      return;
    }
    if (form.querySelector(".uploads[data-busy]")) {
      event.preventDefault();
      toast("Some files are still being uploaded. Send the post when they are there.");
      return;
    }
    if (!agreed && form.querySelectorAll("#plan [data-testid=plan-row]").length > 1) {
      event.preventDefault();
      confirmSending(form, () => {
        agreed = true;
        form.requestSubmit(button);
      });
      return;
    }
    // A browser that keeps the page as it was, and shows it again on the way back, would show what has been sent as if it
    // had not: the page is asked for anew.
    setTimeout(() => (button.disabled = true));
    addEventListener("pageshow", () => location.reload(), { once: true });
  });
}

// followCauses leads from a problem in the plan to its input, which may be in another tab.
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
