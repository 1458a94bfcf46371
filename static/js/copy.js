import { showToast } from "/static/js/toast.js";

// startCopying makes buttons copy the text of the element that data-copies names.
export function startCopying() {
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copies]");
    if (!button) return;
    const source = document.getElementById(button.dataset.copies);
    if (!source) return;
    try {
      await navigator.clipboard.writeText(source.textContent);
      showToast("Copied.");
    } catch {
      // Without permission to use the clipboard, the text is selected instead.
      getSelection().selectAllChildren(source);
      showToast("Press Ctrl+C or Cmd+C to copy the selected text.");
    }
  });
}
