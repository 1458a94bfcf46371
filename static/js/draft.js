// Unsent text survives a reload, a crash and an expired session in the browser's own storage. It is
// removed once the server has taken it, and when the person signs out.
const prefix = "belfry.draft.";
const sentMark = "belfry.sent";

function storage(act) {
  try {
    return act(localStorage, sessionStorage);
  } catch {
    // Storage may be forbidden or full; then nothing is kept.
    return undefined;
  }
}

// Of the hidden inputs only the revision belongs to the text: the post that the text was written for.
const skipped = (element) =>
  !element.name ||
  element.type === "file" || (element.type === "hidden" && element.name !== "revision") || element.disabled || element.tagName === "BUTTON";

function read(form) {
  const values = {};
  for (const element of form.elements) {
    if (skipped(element)) continue;
    const chosen = element.type === "checkbox" || element.type === "radio";
    if (chosen && !element.checked) continue;
    (values[element.name] ??= []).push(element.value);
  }
  return values;
}

function write(form, values) {
  for (const element of form.elements) {
    if (skipped(element)) continue;
    const kept = values[element.name] ?? [];
    if (element.type === "checkbox" || element.type === "radio") element.checked = kept.includes(element.value);
    else element.value = kept[0] ?? "";
  }
  for (const own of form.querySelectorAll("details")) {
    own.open ||= [...own.querySelectorAll("textarea, input:not([type=checkbox])")].some((input) => input.value);
  }
}

const worthKeeping = (form) => [...form.querySelectorAll("textarea, input[name=title]")].some((area) => area.value.trim());

function restore(form, key) {
  if (form.hasAttribute("data-redrawn")) return false;
  const kept = storage((local) => JSON.parse(local.getItem(key)));
  if (!kept) return false;
  const before = read(form);
  write(form, kept);
  if (!worthKeeping(form)) {
    write(form, before);
    return false;
  }
  return true;
}

// keepDraft puts back what was kept of a form, keeps every change, and tells whether it put anything back.
export function keepDraft(form) {
  if (!form.dataset.autosave) return false;
  const key = prefix + form.dataset.autosave;
  const blank = read(form);
  const restored = restore(form, key);
  const note = document.getElementById("restored");
  if (note) note.hidden = !restored;

  form.addEventListener("input", () => {
    storage((local) => (worthKeeping(form) ? local.setItem(key, JSON.stringify(read(form))) : local.removeItem(key)));
  });
  form.querySelector("[data-discards]")?.addEventListener("click", () => {
    write(form, blank);
    note.hidden = true;
    form.elements.text.focus();
    form.dispatchEvent(new Event("input", { bubbles: true }));
  });
  form.addEventListener("submit", () => storage((_, session) => session.setItem(sentMark, key)));
  return restored;
}

// forgetDrafts removes what the server has taken, or everything when somebody signs out.
export function forgetDrafts() {
  storage((local, session) => {
    const sent = session.getItem(sentMark);
    if (sent && document.querySelector('[data-testid="flash"][data-tone="good"]')) local.removeItem(sent);
    session.removeItem(sentMark);
  });
  document.addEventListener("submit", (event) => {
    if (!event.target.hasAttribute("data-forgets")) return;
    storage((local) => {
      for (const key of Object.keys(local)) if (key.startsWith(prefix)) local.removeItem(key);
    });
  });
}
