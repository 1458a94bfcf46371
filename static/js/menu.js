import { containsWords } from "/static/js/words.js";

const menus = ".switcher, .bar-more, .menu";

// startMenus puts the cursor into the first field of a menu that opens. It closes the menu when the person clicks
// elsewhere or presses Esc. The search of a menu hides the entries that do not match.
export function startMenus() {
  document.addEventListener("click", (event) => {
    const menu = event.target.closest?.(".menu:not([open]) > summary")?.parentElement;
    menu?.addEventListener("toggle", () => menu.querySelector(".field input")?.focus(), { once: true });
  });

  // Enter presses the first button of a menu, not that of the form around it.
  document.addEventListener("keydown", (event) => {
    const body = event.key === "Enter" && !event.isComposing && event.target.closest?.(".menu-body");
    if (!body || !event.target.matches("input")) return;
    event.preventDefault();
    body.querySelector("button[type=submit]").click();
  });

  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll(`:is(${menus})[open]`)) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });

  document.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && event.target.closest?.(`:is(${menus})[open]`);
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });

  document.addEventListener("input", (event) => {
    const list = document.getElementById(event.target.dataset?.filters ?? "");
    if (!list) return;
    for (const item of list.children) item.hidden = !containsWords(item.textContent, event.target.value);
  });
}
