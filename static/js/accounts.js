import { selectedText, containsWords } from "/static/js/words.js";

const chipsIn = (form) => [...form.querySelectorAll("[data-chips] label")];
const boxOf = (chip) => chip.querySelector("input");

// startChoosing makes the search for accounts and the buttons that choose several of them work.
export function startChoosing(form) {
  const choice = form.querySelector("#account-choice");
  if (!choice) return;

  choice.addEventListener("input", (event) => {
    if (event.target.matches("[data-searches-accounts]")) {
      event.stopPropagation(); // searching does not change the form
      filterAccounts(form, event.target.value);
    } else {
      showChosen(form);
    }
  });
  choice.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.matches("[data-searches-accounts]")) return;
    event.preventDefault();
    chipsIn(form).find((chip) => !chip.hidden)?.querySelector("input").click();
  });
  choice.addEventListener("click", (event) => {
    const button = event.target.closest("button[name=pick]");
    if (!button) return;
    event.preventDefault();
    chooseAccounts(form, button);
    showChosen(form);
    choice.dispatchEvent(new Event("input", { bubbles: true }));
  });
  showChosen(form);
}

function filterAccounts(form, words) {
  for (const chip of chipsIn(form)) chip.hidden = !containsWords(`${chip.textContent} ${chip.dataset.finds ?? ""}`, words);
  form.querySelector("[data-chips]").toggleAttribute("data-searched", words.trim() !== "");
  form.querySelector("[data-no-match]").hidden = chipsIn(form).some((chip) => !chip.hidden);
}

// chooseAccounts selects the accounts of a button, or deselects them if all are selected. "Select all" and "Clear"
// affect only the accounts that the search shows. Accounts that must be reconnected cannot be selected.
function chooseAccounts(form, button) {
  const ids = button.dataset.chooses?.split(" ");
  const some = chipsIn(form).filter((chip) => (ids ? ids.includes(boxOf(chip).value) : !chip.hidden));
  const choose = ids ? !areChosen(some) : button.value === "all";
  for (const chip of some) boxOf(chip).checked = choose && (boxOf(chip).checked || !chip.classList.contains("off"));
}

const areChosen = (some) => some.length > 0 && some.every((chip) => boxOf(chip).checked || chip.classList.contains("off"));

function showChosen(form) {
  const all = chipsIn(form);
  for (const button of form.querySelectorAll("[data-chooses]")) {
    const ids = button.dataset.chooses.split(" ");
    button.setAttribute("aria-pressed", String(areChosen(all.filter((chip) => ids.includes(boxOf(chip).value)))));
  }
  const shown = form.querySelector("[data-picked]");
  const boxes = all.map(boxOf);
  if (shown) shown.textContent = boxes.some((box) => box.checked) ? selectedText(boxes) : "";
}
