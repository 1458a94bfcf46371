import { containsWords } from "/static/js/words.js";

const chips = (form) => [...form.querySelectorAll("[data-chips] label")];
const box = (chip) => chip.querySelector("input");

// startChoosing makes the search for accounts and the buttons that choose several of them work.
export function startChoosing(form) {
  const choice = form.querySelector("#account-choice");
  if (!choice) return;

  choice.addEventListener("input", (event) => {
    if (event.target.matches("[data-searches-accounts]")) {
      event.stopPropagation(); // searching does not change the form
      search(form, event.target.value);
    } else {
      showChosen(form);
    }
  });
  choice.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.matches("[data-searches-accounts]")) return;
    event.preventDefault();
    chips(form).find((chip) => !chip.hidden)?.querySelector("input").click();
  });
  choice.addEventListener("click", (event) => {
    const button = event.target.closest("button[name=pick]");
    if (!button) return;
    event.preventDefault();
    pick(form, button);
    showChosen(form);
    choice.dispatchEvent(new Event("input", { bubbles: true }));
  });
  showChosen(form);
}

function search(form, words) {
  for (const chip of chips(form)) chip.hidden = !containsWords(`${chip.textContent} ${chip.dataset.finds}`, words);
  form.querySelector("[data-no-match]").hidden = chips(form).some((chip) => !chip.hidden);
}

// pick selects the accounts of a button, or deselects them if all are selected. "Select all" and "Clear" affect only
// the accounts that the search shows. Accounts that must be reconnected cannot be selected.
function pick(form, button) {
  const ids = button.dataset.chooses?.split(" ");
  const some = chips(form).filter((chip) => (ids ? ids.includes(box(chip).value) : !chip.hidden));
  const choose = ids ? !isChosen(some) : button.value === "all";
  for (const chip of some) box(chip).checked = choose && (box(chip).checked || !chip.classList.contains("off"));
}

const isChosen = (some) => some.length > 0 && some.every((chip) => box(chip).checked || chip.classList.contains("off"));

function showChosen(form) {
  const all = chips(form);
  for (const button of form.querySelectorAll("[data-chooses]")) {
    const ids = button.dataset.chooses.split(" ");
    button.setAttribute("aria-pressed", String(isChosen(all.filter((chip) => ids.includes(box(chip).value)))));
  }
  const shown = form.querySelector("[data-picked]");
  const chosen = all.filter((chip) => box(chip).checked).length;
  if (shown) shown.textContent = chosen > 0 ? `${chosen} of ${all.length} chosen` : "";
}
