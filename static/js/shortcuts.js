const timeForSecondKey = 1200;

function isTextInput(target) {
  return target.isContentEditable || target.matches?.("textarea, select, input:not([type=checkbox], [type=radio])");
}

function focusRow(step) {
  const rows = [...document.querySelectorAll("[data-row]")];
  if (rows.length === 0) return false;
  const at = rows.indexOf(document.activeElement?.closest("[data-row]"));
  const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(Math.max(at + step, 0), rows.length - 1);
  rows[next].focus();
  return true;
}

function activate(element) {
  if (!element) return false;
  if (element.matches("input, textarea")) {
    element.focus();
    element.select();
  } else {
    element.click();
  }
  return true;
}

// followArrow opens the link of an arrow key, unless the key is held, or belongs to the focused element or to an open
// dialog.
function followArrow(event) {
  const link = document.querySelector(`[data-arrow="${CSS.escape(event.key)}"]`);
  if (!link || link.getClientRects().length === 0 || event.shiftKey || event.repeat) return;
  if (event.target.closest?.("input, video, details[open]")) return;
  const dialogs = [...document.querySelectorAll("dialog[open]")];
  if (dialogs.every((dialog) => dialog.contains(link))) activate(link);
}

function toggleHelp() {
  const dialog = document.getElementById("shortcuts");
  if (!dialog) return false;
  if (dialog.open) dialog.close();
  else dialog.showModal();
  return true;
}

// startShortcuts handles the keys C, /, J, K and ?, G followed by a letter, and the arrow keys of links with data-arrow.
// It ignores keys that type text.
export function startShortcuts() {
  let goUntil = 0;

  const handleKey = (key) => {
    if (Date.now() < goUntil) {
      goUntil = 0;
      return activate(document.querySelector(`[data-go="${CSS.escape(key.toLowerCase())}"]`));
    }
    switch (key) {
      case "g":
        goUntil = Date.now() + timeForSecondKey;
        return true;
      case "j":
        return focusRow(1);
      case "k":
        return focusRow(-1);
      case "?":
        return toggleHelp();
      default:
        return activate(document.querySelector(`[data-key="${CSS.escape(key)}"]`));
    }
  };

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
      const form = event.target.closest?.("#compose");
      const button = form?.querySelector("#submit");
      if (button && !button.disabled) form.requestSubmit(button);
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && isTextInput(event.target)) {
      event.target.blur();
      return;
    }
    if (document.body.dataset.shortcuts === "off") return;
    if (event.key.startsWith("Arrow") && !isTextInput(event.target)) followArrow(event);
    if (isTextInput(event.target) || (document.querySelector("dialog[open]") && event.key !== "?")) return;
    if (event.key.length === 1 && handleKey(event.key)) event.preventDefault();
  });
}
