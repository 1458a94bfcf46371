const stay = 6000;

// toast says something for a while, to eyes and to readers of the page.
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
