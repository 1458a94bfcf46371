import { containsWords } from "/static/js/words.js";

const menus = ".switcher, .bar-more, .menu";

// startMenus closes an open menu when the person leaves it, and makes its search hide entries that do not match.
export function startMenus() {
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
