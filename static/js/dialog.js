// startDialogs opens the dialogs of the page, and those that htmx has loaded.
export function startDialogs() {
  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-opens]");
    if (opener) document.getElementById(opener.dataset.opens)?.showModal();

    const closer = event.target.closest("dialog [data-closes]");
    if (closer) {
      event.preventDefault();
      closer.closest("dialog").close();
    }

    // The target of a click outside an open dialog is the dialog element itself.
    if (event.target instanceof HTMLDialogElement && event.target.open && isOutside(event)) event.target.close();
  });

  document.addEventListener("htmx:afterSwap", (event) => {
    const { target } = event.detail;
    if (target instanceof HTMLDialogElement && target.childElementCount > 0 && !target.open) target.showModal();
  });
}

function isOutside(event) {
  const box = event.target.getBoundingClientRect();
  return event.clientX < box.left || event.clientX > box.right || event.clientY < box.top || event.clientY > box.bottom;
}
