import { formEntries } from "/static/js/redraw.js";
import { showToast } from "/static/js/toast.js";

// The browser's storage keeps unsent text across a reload, a crash and an expired session. The text is removed once the
// server has accepted it, and when the person signs out.
const keyPrefix = "belfry.draft.";
const sentMark = "belfry.sent";

function withStorage(act) {
  try {
    return act(localStorage, sessionStorage);
  } catch {
    // Storage may be disabled or full. In that case, the text is not kept.
    return undefined;
  }
}

const hasContent = (form) =>
  form.querySelector("#tiles > .tile") !== null ||
  [...form.querySelectorAll("textarea, input[name=title]")].some((area) => area.value.trim());

const saveDraft = (form, key) =>
  withStorage((local) => (hasContent(form) ? local.setItem(key, JSON.stringify(formEntries(form))) : local.removeItem(key)));

// The server renders the form with the kept text, because the form's inputs depend on its files.
async function showDraft(form, kept) {
  form.inert = true;
  try {
    const answer = await fetch(form.dataset.plan, { method: "POST", body: new URLSearchParams(kept) });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    form.replaceChildren(...page.getElementById("compose").childNodes);
  } finally {
    form.inert = false;
  }
}

// keepDraft restores the kept text of a form, and keeps every change.
export async function keepDraft(form) {
  if (!form.dataset.autosave) return;
  const key = keyPrefix + form.dataset.autosave;
  document.addEventListener("submit", (event) => {
    if (event.target === form && !event.defaultPrevented) withStorage((_, session) => session.setItem(sentMark, key));
  });
  form.addEventListener("click", (event) => {
    if (!event.target.closest("[data-discards]")) return;
    withStorage((local) => local.removeItem(key));
    location.reload();
  });

  const kept = withStorage((local) => JSON.parse(local.getItem(key)));
  if (form.hasAttribute("data-redrawn")) {
    saveDraft(form, key);
  } else if (kept) {
    try {
      await showDraft(form, kept);
      document.getElementById("restored").hidden = false;
    } catch {
      showToast("Your unsent text could not be restored. Reload the page to try again.");
      return; // keeps the stored text
    }
  }
  form.addEventListener("input", () => saveDraft(form, key));
}

// forgetDrafts removes what the server has accepted, or everything when the person signs out.
export function forgetDrafts() {
  withStorage((local, session) => {
    const sent = session.getItem(sentMark);
    if (sent && document.querySelector('#flash:is([data-tone="good"], [data-live])')) local.removeItem(sent);
    session.removeItem(sentMark);
  });
  document.addEventListener("submit", (event) => {
    if (!event.target.hasAttribute("data-forgets")) return;
    withStorage((local) => {
      for (const key of Object.keys(local)) if (key.startsWith(keyPrefix)) local.removeItem(key);
    });
  });
}
