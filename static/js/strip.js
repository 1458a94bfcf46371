// The strip of files: put in order by buttons and by dragging, and taken away. The order of the tiles is the order of the
// files.
const nextLook = 1500; // while files are being processed
const tiles = (form) => [...form.querySelectorAll("#tiles > .tile")];

export function startStrip(form, redraw) {
  const changed = () => form.querySelector("#tiles").dispatchEvent(new Event("input", { bubbles: true }));
  const say = (text) => (form.querySelector("#strip-status").textContent = text);

  function place(tile, at) {
    const others = tiles(form).filter((other) => other !== tile);
    form.querySelector("#tiles").insertBefore(tile, others[at] ?? null);
    say(`${tile.dataset.name} is now number ${at + 1} of ${others.length + 1}.`);
    changed();
  }

  form.addEventListener("click", (event) => {
    const button = event.target.closest(".tile-acts button");
    if (!button) return;
    event.preventDefault();
    const tile = button.closest(".tile");
    const at = tiles(form).indexOf(tile);
    if (button.name === "remove") {
      const next = tile.nextElementSibling ?? tile.previousElementSibling;
      tile.remove();
      say(`${tile.dataset.name} is removed.`);
      (next?.querySelector("button[name=remove]") ?? form.querySelector("#upload")).focus();
      changed();
    } else {
      place(tile, button.name === "earlier" ? at - 1 : at + 1);
      button.focus();
    }
  });

  // A button that can go no further hands the focus to its neighbour.
  form.addEventListener("redrawn", () => {
    if (pressed?.disabled) pressed.parentElement.querySelector("button:not(:disabled)")?.focus();
  });
  let pressed = null;
  form.addEventListener("focusin", (event) => (pressed = event.target.closest(".tile-acts button")));

  let dragged = null;
  form.addEventListener("dragstart", (event) => {
    dragged = event.target.closest?.("#tiles > .tile") ?? null;
    if (!dragged) return;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", dragged.dataset.name);
    dragged.toggleAttribute("data-dragged", true);
  });
  form.addEventListener("dragover", (event) => {
    if (dragged && event.target.closest("#tiles")) event.preventDefault();
  });
  form.addEventListener("drop", (event) => {
    const target = event.target.closest("#tiles > .tile");
    if (!dragged || !event.target.closest("#tiles")) return;
    event.preventDefault();
    if (target && target !== dragged) place(dragged, tiles(form).indexOf(target));
  });
  form.addEventListener("dragend", () => {
    dragged?.removeAttribute("data-dragged");
    dragged = null;
  });

  // A file of the library is added when it is ticked; it is then in the strip and no longer in the list.
  function follow() {
    const chosen = tiles(form);
    for (const tile of chosen) tile.draggable = chosen.length > 1;
    for (const input of form.querySelectorAll("[data-testid=library-file] input")) {
      input.checked = false;
      input.closest("li").hidden = chosen.some((tile) => tile.id === `tile-${input.value}`);
    }
    if (chosen.some((tile) => tile.hasAttribute("data-processing"))) setTimeout(redraw, nextLook);
  }
  form.addEventListener("redrawn", follow);
  follow();
}
