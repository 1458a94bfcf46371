// pickFiles opens the library in a dialog and returns the chosen files in the order in which the person selected them,
// each with id, name, kind and thumbnail (an address or ""). It returns an empty list if the person closes the dialog, or
// if the library cannot be opened.
// url is the address of the dialog (link.PickMedia), and taken contains the ids of files that are already chosen.
//
//   for (const file of await pickFiles(button.dataset.picks, { taken })) …
export async function pickFiles(url, { taken = [] } = {}) {
  const dialog = document.createElement("dialog");
  dialog.className = "picker-dialog";
  dialog.id = "picker";
  dialog.setAttribute("aria-label", "Choose files from the library");
  document.body.append(dialog);
  const chosen = new Map();

  const show = () => {
    for (const box of dialog.querySelectorAll("[data-pick]")) {
      box.checked = chosen.has(box.value);
      box.closest("li").hidden = taken.includes(box.value);
    }
    const { size } = chosen;
    dialog.querySelector("[data-picked-count]").textContent = size === 0 ? "" : `${size} selected`;
    const button = dialog.querySelector("[data-picks]");
    button.disabled = size === 0;
    button.textContent = size === 0 ? "Add to post" : size === 1 ? "Add 1 file to post" : `Add ${size} files to post`;
  };
  dialog.addEventListener("change", ({ target }) => {
    if (!target.matches("[data-pick]")) return;
    const { name, kind, thumbnail } = target.dataset;
    if (target.checked) chosen.set(target.value, { id: target.value, name, kind, thumbnail });
    else chosen.delete(target.value);
    show();
  });
  dialog.addEventListener("htmx:afterSwap", show);

  return new Promise((resolve) => {
    let picked = [];
    const finish = () => {
      dialog.remove();
      resolve(picked);
    };
    dialog.addEventListener("click", (event) => {
      if (!event.target.closest("[data-picks]")) return;
      picked = [...chosen.values()];
      dialog.close();
    });
    dialog.addEventListener("close", finish);
    const loaded = window.htmx.ajax("GET", url, { target: dialog, swap: "innerHTML" });
    loaded.then(() => (dialog.open ? focusSearch(dialog) : finish())).catch(finish);
  });
}

// focusSearch moves the focus to the search, except on touch screens, where a keyboard would cover the files.
function focusSearch(dialog) {
  if (matchMedia("(hover: hover)").matches) dialog.querySelector("[type=search]").focus();
}
