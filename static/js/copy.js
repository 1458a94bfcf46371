import { toast } from "/static/js/toast.js";

// startCopying makes buttons with data-copies put the text of that element on the clipboard.
export function startCopying() {
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copies]");
    if (!button) return;
    const source = document.getElementById(button.dataset.copies);
    if (!source) return;
    try {
      await navigator.clipboard.writeText(source.textContent);
      toast("Copied.");
    } catch {
      // Without leave to write there, the text is at least selected.
      getSelection().selectAllChildren(source);
      toast("Press Ctrl+C to copy.");
    }
  });
}
