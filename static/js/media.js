// The media library: uploads, and dragging files to a folder. Forms do the same without this script.
import { acceptDrops, startUploads } from "/static/js/upload.js";

const draggedType = "application/x-belfry-files";
const refreshAfter = 800; // milliseconds, so that files that become ready together cause one update

export function startLibrary() {
  const library = document.querySelector("[data-library]");
  if (!library) return;
  startUploading(library);
  startMoving(library);
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
  // The messages about the upload replace an earlier message, unless that message has a link or a button.
  const add = (files) => {
    document.querySelector("#flash:not(:has(a, button))")?.remove();
    uploads.add(files);
  };
  input.addEventListener("change", () => {
    add([...input.files]);
    input.value = "";
  });
  acceptDrops(document.body, add);
  startFirstUpload(input);
}

// While the library is empty, the button for the first files replaces the one at the top of the page.
function startFirstUpload(input) {
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-first-upload]")) input.click();
  });
  document.addEventListener("htmx:afterSwap", () => {
    const isEmpty = document.querySelector("[data-first-upload]") !== null;
    document.querySelector("label[for=upload]").classList.toggle("needs-no-js", isEmpty);
  });
}

// startMoving lets the person drag a file, or all selected files, to a folder.
function startMoving(library) {
  document.addEventListener("dragstart", (event) => {
    const file = event.target.closest?.("[data-file]");
    if (!file) return;
    const selected = [...document.querySelectorAll("#library [data-selects]:checked")].map((box) => box.value);
    const ids = selected.includes(file.dataset.file) ? selected : [file.dataset.file];
    event.dataTransfer.setData(draggedType, JSON.stringify(ids));
    event.dataTransfer.effectAllowed = "move";
    document.body.toggleAttribute("data-moving", true);
  });
  document.addEventListener("dragend", () => document.body.removeAttribute("data-moving"));
  for (const folder of library.querySelectorAll("[data-drop]")) {
    const highlight = (is) => folder.toggleAttribute("data-over", is);
    folder.addEventListener("dragover", (event) => {
      if (!event.dataTransfer.types.includes(draggedType)) return;
      event.preventDefault();
      highlight(true);
    });
    folder.addEventListener("dragleave", () => highlight(false));
    folder.addEventListener("drop", (event) => {
      const ids = event.dataTransfer.getData(draggedType);
      highlight(false);
      if (!ids) return;
      event.preventDefault();
      moveFiles(library, JSON.parse(ids), folder.dataset.drop);
    });
  }
}

function moveFiles(library, ids, folder) {
  const back = new URLSearchParams(location.search).toString();
  window.htmx.ajax("POST", library.dataset.move, { values: { act: "move", folder, back, file: ids }, swap: "none" });
}
