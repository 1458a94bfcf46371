const stay = 6000;

// toast shows a message for a while, which screen readers announce.
export function toast(text) {
  const region = document.getElementById("toasts");
  if (!region) return;
  if ([...region.children].some((shown) => shown.textContent === text)) return;
  const note = document.createElement("p");
  note.className = "toast";
  note.textContent = text;
  region.append(note);
  setTimeout(() => note.remove(), stay);
}
