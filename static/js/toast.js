const duration = 6000;

// showToast shows a message for a few seconds. Screen readers announce the message.
export function showToast(text) {
  const region = document.getElementById("toasts");
  if (!region) return;
  if ([...region.children].some((shown) => shown.textContent === text)) return;
  const note = document.createElement("p");
  note.className = "toast";
  note.textContent = text;
  region.append(note);
  setTimeout(() => note.remove(), duration);
}
