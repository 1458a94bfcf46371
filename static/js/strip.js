import { pickFiles } from "/static/js/pick.js";
import { acceptDrops, acceptPaste, startUploads } from "/static/js/upload.js";

// The strip of files: buttons and dragging order the files, and buttons remove them. The order of the tiles is the
// order of the files.
const refreshAfter = 1500; // milliseconds between updates while files are being processed
const tiles = (form) => [...form.querySelectorAll("#tiles > .tile")];

export function startStrip(form, redraw) {
  const reportChange = () => form.querySelector("#tiles").dispatchEvent(new Event("input", { bubbles: true }));
  const announce = (text) => (form.querySelector("#strip-status").textContent = text);

  function placeTile(tile, at) {
    const others = tiles(form).filter((other) => other !== tile);
    form.querySelector("#tiles").insertBefore(tile, others[at] ?? null);
    announce(`${tile.dataset.name} is now file ${at + 1} of ${others.length + 1}.`);
    reportChange();
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
      announce(`${tile.dataset.name} was removed.`);
      (next?.querySelector("button[name=remove]") ?? form.querySelector("#upload")).focus();
      reportChange();
    } else {
      placeTile(tile, button.name === "earlier" ? at - 1 : at + 1);
      button.focus();
    }
  });

  // When a button becomes disabled at the end of the strip, the button for the other direction gets the focus.
  form.addEventListener("redrawn", () => {
    if (pressed?.disabled) pressed.parentElement.querySelector("button:not(:disabled)")?.focus();
  });
  let pressed = null;
  form.addEventListener("focusin", (event) => (pressed = event.target.closest(".tile-acts button")));

  // nearestTile returns the tile that is closest to the place where something is dropped.
  function nearestTile({ clientX, clientY }) {
    const distance = (tile) => {
      const { x, y, width, height } = tile.getBoundingClientRect();
      return Math.hypot(x + width / 2 - clientX, y + height / 2 - clientY);
    };
    return tiles(form).reduce((best, tile) => (distance(tile) < distance(best) ? tile : best));
  }

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
    if (!dragged || !event.target.closest("#tiles")) return;
    event.preventDefault();
    const target = event.target.closest("#tiles > .tile") ?? nearestTile(event);
    if (target !== dragged) placeTile(dragged, tiles(form).indexOf(target));
  });
  form.addEventListener("dragend", () => {
    dragged?.removeAttribute("data-dragged");
    dragged = null;
  });

  // An uploaded or picked file becomes the last one. The server renders its tile.
  function add({ id, name }) {
    if (document.getElementById(`tile-${id}`)) return;
    const tile = document.createElement("li");
    Object.assign(tile, { id: `tile-${id}`, className: "tile" });
    Object.assign(tile.dataset, { name, testid: "file", processing: "" });
    tile.append(Object.assign(document.createElement("input"), { type: "hidden", name: "media", value: id }));
    form.querySelector("#tiles").append(tile);
    announce(`${name} was added as file ${tiles(form).length}.`);
    reportChange();
  }

  const panel = form.querySelector("#strip .uploads");
  const uploads = startUploads(panel, {
    onReady: (file) => add({ id: file.id, name: file.originalName }),
    onIdle: () => setTimeout(closeUploads, 3000),
  });
  function closeUploads() {
    if (!panel.hidden && !panel.querySelector("[data-state=failed]")) panel.querySelector("[data-uploads-close]").click();
  }
  acceptDrops(form, uploads.add);
  acceptPaste(form, uploads.add);
  form.addEventListener("change", (event) => {
    if (!event.target.matches("#upload")) return;
    uploads.add([...event.target.files]);
    event.target.value = "";
  });
  form.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-opens-library]");
    if (!button) return;
    const taken = tiles(form).map((tile) => tile.id.replace("tile-", ""));
    (await pickFiles(button.dataset.opensLibrary, { taken })).forEach(add);
  });

  let refreshTimer;
  function followProcessing() {
    clearTimeout(refreshTimer);
    const chosen = tiles(form);
    for (const tile of chosen) tile.draggable = chosen.length > 1;
    if (chosen.some((tile) => tile.hasAttribute("data-processing"))) refreshTimer = setTimeout(redraw, refreshAfter);
  }
  form.addEventListener("redrawn", followProcessing);
  followProcessing();
}
