const options = (dialog) => [...dialog.querySelectorAll("[role=option]")];

function selectOption(dialog, at) {
  const all = options(dialog);
  const input = dialog.querySelector("input");
  for (const [i, option] of all.entries()) option.setAttribute("aria-selected", String(i === at));
  if (all[at]) {
    input.setAttribute("aria-activedescendant", all[at].id);
    all[at].scrollIntoView({ block: "nearest" });
  } else {
    input.removeAttribute("aria-activedescendant");
  }
}

function moveSelection(dialog, step) {
  const all = options(dialog);
  const at = all.findIndex((option) => option.getAttribute("aria-selected") === "true");
  if (all.length > 0) selectOption(dialog, (at + step + all.length) % all.length);
}

// startPalette opens the search dialog with Ctrl+K, Cmd+K or its link. Arrow keys select a result.
export function startPalette() {
  const dialog = document.getElementById("palette");
  if (!dialog) return;
  const input = dialog.querySelector("input");

  const open = () => {
    if (document.querySelector("dialog[open]")) return;
    input.value = "";
    dialog.showModal();
    input.dispatchEvent(new Event("palette"));
  };

  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-palette]") || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    open();
  });

  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== "k") return;
    event.preventDefault();
    if (dialog.open) dialog.close();
    else open();
  });

  dialog.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    moveSelection(dialog, step);
  });

  dialog.addEventListener("submit", (event) => {
    const chosen = dialog.querySelector("[role=option][aria-selected=true]");
    if (!chosen) return;
    event.preventDefault();
    chosen.click();
  });

  dialog.addEventListener("htmx:afterSwap", () => {
    selectOption(dialog, 0);
    const found = options(dialog).length;
    dialog.querySelector("[data-palette-status]").textContent = found === 1 ? "1 result" : `${found} results`;
  });
}
