// The media library: uploads, the selection, and files that are dragged to a folder. Without it, forms do all of that.
import { acceptDrops, startUploads } from "/static/js/upload.js";

const dragged = "application/x-belfry-files";
const refreshAfter = 800; // several files that become ready together are shown together

export function startLibrary() {
  startMenus();
  const library = document.querySelector("[data-library]");
  if (!library) return;
  startUploading(library);
  startSelection();
  startMoving(library);
  document.querySelector("[data-submits]").addEventListener("change", (event) => {
    if (event.target.name !== "q") event.currentTarget.requestSubmit();
  });
}

function startUploading(library) {
  const panel = document.querySelector("[data-uploads]");
  if (!panel) return;
  let waiting;
  const refresh = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => document.body.dispatchEvent(new Event("files-changed")), refreshAfter);
  };
  const uploads = startUploads(panel, { onReady: refresh, onIdle: refresh, folder: () => library.dataset.folder });
  const input = document.getElementById("upload");
  input.addEventListener("change", () => {
    uploads.add([...input.files]);
    input.value = "";
  });
  acceptDrops(document.body, uploads.add);
}

const boxes = () => [...document.querySelectorAll("#library input[name=file]")];

// The selection survives that the list is replaced, and is counted.
function startSelection() {
  let selected = new Set();
  let last = null;

  const show = () => {
    const all = boxes();
    selected = new Set(all.filter((box) => box.checked).map((box) => box.value));
    for (const box of all) box.closest("[data-file]").toggleAttribute("data-selected", box.checked);
    const count = document.querySelector("[data-selected-count]");
    if (count) count.textContent = selected.size === 0 ? "" : `${selected.size} selected`;
    const whole = document.querySelector("[data-selects-all]");
    if (!whole) return;
    whole.checked = all.length > 0 && selected.size === all.length;
    whole.indeterminate = selected.size > 0 && selected.size < all.length;
  };

  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-selects-all]")) for (const box of boxes()) box.checked = event.target.checked;
    else if (!event.target.matches("#library input[name=file]")) return;
    show();
  });
  // With Shift, all files between two are selected.
  document.addEventListener("click", (event) => {
    const box = event.target.closest("#library input[name=file]");
    if (!box) return;
    const all = boxes();
    const [from, to] = [all.indexOf(last), all.indexOf(box)];
    if (event.shiftKey && from >= 0) {
      for (const between of all.slice(Math.min(from, to), Math.max(from, to) + 1)) between.checked = box.checked;
      show();
    }
    last = box;
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { requestConfig, target } = event.detail;
    if (target.id !== "library" || requestConfig.elt.id === "q") return;
    // A list is not replaced under somebody who is choosing what to do with it.
    if (target.querySelector(".menu[open]") || document.body.hasAttribute("data-moving")) event.detail.shouldSwap = false;
  });
  document.addEventListener("htmx:afterSwap", () => {
    for (const box of boxes()) box.checked ||= selected.has(box.value);
    makeDraggable();
    show();
  });
  makeDraggable();
  show();
}

function makeDraggable() {
  if (!document.querySelector(".bulk")) return;
  for (const file of document.querySelectorAll("[data-file]")) file.draggable = true;
}

// Files are moved by dragging one of them, or all that are selected, to a folder.
function startMoving(library) {
  document.addEventListener("dragstart", (event) => {
    const file = event.target.closest?.("[data-file]");
    if (!file) return;
    const selected = boxes().filter((box) => box.checked).map((box) => box.value);
    const ids = selected.includes(file.dataset.file) ? selected : [file.dataset.file];
    event.dataTransfer.setData(dragged, JSON.stringify(ids));
    event.dataTransfer.effectAllowed = "move";
    document.body.toggleAttribute("data-moving", true);
  });
  document.addEventListener("dragend", () => document.body.removeAttribute("data-moving"));
  for (const folder of library.querySelectorAll("[data-drop]")) {
    const over = (is) => folder.toggleAttribute("data-over", is);
    folder.addEventListener("dragover", (event) => {
      if (!event.dataTransfer.types.includes(dragged)) return;
      event.preventDefault();
      over(true);
    });
    folder.addEventListener("dragleave", () => over(false));
    folder.addEventListener("drop", (event) => {
      const ids = event.dataTransfer.getData(dragged);
      over(false);
      if (!ids) return;
      event.preventDefault();
      move(library, JSON.parse(ids), folder.dataset.drop);
    });
  }
}

function move(library, ids, folder) {
  const back = new URLSearchParams(location.search);
  const form = new URLSearchParams([["act", "move"], ["folder", folder], ["back", back], ...ids.map((id) => ["file", id])]);
  window.htmx.ajax("POST", library.dataset.move, { values: Object.fromEntries([...new Set(form.keys())].map((name) => [name, form.getAll(name)])), swap: "none" });
}

// A menu closes when something else is pressed, and with Escape.
function startMenus() {
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll(".menu[open]")) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const menu = document.activeElement?.closest(".menu[open]");
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}
