import { startChoosing } from "/static/js/accounts.js";
import { confirmSending } from "/static/js/confirm.js";
import { showRoom } from "/static/js/counters.js";
import { keepDraft } from "/static/js/draft.js";
import { followKeyboard } from "/static/js/keyboard.js";
import { startRedrawing } from "/static/js/redraw.js";
import { startStrip } from "/static/js/strip.js";
import { toast } from "/static/js/toast.js";

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
  followCauses(form);
  followKeyboard();
  form.addEventListener("input", () => showRoom(form));
  form.addEventListener("redrawn", () => showRoom(form));
  showRoom(form);

  // Opening a tab opens the preview of its network.
  form.addEventListener("change", (event) => {
    if (event.target.name !== "tab") return;
    const preview = document.getElementById(`preview-${event.target.value}`);
    if (preview) preview.open = true;
  });

  // The form may already contain something: restored by the browser, or typed before this script ran.
  if (form.elements.text.value && !form.querySelector(".plan-rows")) redraw();
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
    if (form.querySelector(".uploads[data-busy]")) {
      event.preventDefault();
      toast("Some files are still being uploaded. Wait until they are done, then try again.");
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
    // Going back may restore this page from the browser's cache, as if the form had not been sent. The page is reloaded
    // in that case.
    setTimeout(() => (button.disabled = true));
    addEventListener("pageshow", () => location.reload(), { once: true });
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
