import { showToast } from "/static/js/toast.js";
import { selectedText, containsWords } from "/static/js/words.js";

// startGroups lets the person drag accounts to groups. In a group's form, it filters the accounts and counts the
// selected ones.
export function startGroups() {
  let dragged = null;

  const cardAt = (event) => dragged && event.target.closest?.("[data-adds]");

  document.addEventListener("dragstart", (event) => {
    dragged = event.target.closest?.("[data-drags]") ?? null;
    if (dragged) event.dataTransfer.setData("text/plain", dragged.dataset.name);
  });

  document.addEventListener("dragover", (event) => {
    const card = cardAt(event);
    for (const lit of document.querySelectorAll(".receives")) if (lit !== card) lit.classList.remove("receives");
    if (!card) return;
    event.preventDefault();
    card.classList.add("receives");
  });

  const endDrag = () => {
    dragged = null;
    for (const lit of document.querySelectorAll(".receives")) lit.classList.remove("receives");
  };
  document.addEventListener("dragend", endDrag);

  document.addEventListener("drop", async (event) => {
    const card = cardAt(event);
    if (!card) return;
    event.preventDefault();
    const { drags: account, name } = dragged.dataset;
    const { adds: url, name: group } = card.dataset;
    endDrag(); // the list is replaced, so no dragend event follows
    let added = false;
    card.addEventListener("htmx:beforeOnLoad", ({ detail }) => (added = detail.xhr.status === 200), { once: true });
    await window.htmx.ajax("POST", url, { source: card, target: "#groups", swap: "outerHTML", values: { account } });
    if (added) showToast(`${name} was added to ${group}.`);
  });

  document.addEventListener("input", (event) => {
    const list = event.target.closest?.("[data-filters]");
    if (!list) return;
    if (event.target.type === "search") filterAccounts(list, event.target.value);
    else list.querySelector("[data-counts]").textContent = selectedText([...list.querySelectorAll("[type=checkbox]")]);
  });

  // Enter in the search field must not submit the form.
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches?.("[data-filters] [type=search]")) event.preventDefault();
  });
}

function filterAccounts(list, text) {
  for (const choice of list.querySelectorAll("[data-filtered]")) {
    choice.hidden = !containsWords(choice.dataset.filtered, text);
  }
}
