// Selects rows of a list: all of them, those of a day, a range with Shift, or the focused one with X. It shows how many
// are selected, and hides the actions that none of them allows.
// The check boxes and the actions on them work without this script.
const rowBoxes = (within = document) => [...within.querySelectorAll("[data-selects]")];

let lastClicked = null;

export function startSelecting() {
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-selects-all]")) {
      for (const box of rowBoxes()) box.checked = event.target.checked;
    } else if (event.target.matches("[data-selects-day]")) {
      for (const box of rowBoxes(event.target.closest("tbody"))) box.checked = event.target.checked;
    } else if (!event.target.matches("[data-selects]")) {
      return;
    }
    showSelection();
  });

  document.addEventListener("click", (event) => {
    const box = event.target.closest?.("[data-selects]");
    if (!box) return;
    if (event.shiftKey && lastClicked?.isConnected) selectRange(lastClicked, box);
    lastClicked = box;
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "x" || event.ctrlKey || event.metaKey || event.altKey) return;
    document.activeElement?.closest("[data-row]")?.closest("tr, li")?.querySelector("[data-selects]")?.click();
  });

  document.addEventListener("input", (event) => {
    if (event.target.closest("#bulk")) showUnits();
  });

  // The button that clears the selection. Resetting the form would select the rows again that were selected at first.
  document.addEventListener("reset", (event) => {
    const own = rowBoxes().filter((box) => box.form === event.target);
    if (own.length === 0) return;
    event.preventDefault();
    for (const box of own) box.checked = false;
    showSelection();
    document.querySelector("[data-selects-all]")?.focus();
  });

  startClosingPanels();
  keepSelection();
  showUnits();
  showSelection();
}

// The panels for filtering the list and for scheduling and moving posts cover the list. Esc and a click outside close them.
function startClosingPanels() {
  const panels = () => [...document.querySelectorAll(".filter[open], .post-move[open]")];
  document.addEventListener("click", (event) => {
    for (const panel of panels()) if (!panel.contains(event.target)) panel.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const panel of panels()) {
      panel.open = false;
      panel.querySelector("summary").focus();
    }
  });
}

function selectRange(from, to) {
  const all = rowBoxes();
  const [first, second] = [all.indexOf(from), all.indexOf(to)].sort((a, b) => a - b);
  for (const box of all.slice(first, second + 1)) box.checked = to.checked;
}

// showUnits says "1 day", but "2 days".
function showUnits() {
  for (const units of document.querySelectorAll("[data-counted-by]")) {
    const one = document.getElementById(units.dataset.countedBy).value === "1";
    for (const unit of units.options) unit.textContent = one ? unit.dataset.one : unit.dataset.many;
  }
}

function showSelection() {
  const all = rowBoxes();
  const chosen = all.filter((box) => box.checked);
  const selected = chosen.length;
  const allowed = new Set(chosen.flatMap((box) => box.dataset.acts?.split(" ") ?? []));
  for (const act of document.querySelectorAll("[data-act]")) act.hidden = selected > 0 && !allowed.has(act.dataset.act);
  const count = document.querySelector("[data-selected-count]");
  if (count) count.textContent = selected === 0 ? "" : `${selected} selected`;
  for (const word of document.querySelectorAll("[data-selected-posts]")) {
    word.textContent = selected === 1 ? "1 post" : `${selected || ""} posts`.trim();
  }
  const every = document.querySelector("[data-selects-all]");
  if (every) showWhetherAll(every, all);
  for (const day of document.querySelectorAll("[data-selects-day]")) showWhetherAll(day, rowBoxes(day.closest("tbody")));
}

// showWhetherAll checks a box that stands for several rows if all are selected, or marks it if some are.
function showWhetherAll(box, rows) {
  const selected = rows.filter((row) => row.checked).length;
  box.checked = selected > 0 && selected === rows.length;
  box.indeterminate = selected > 0 && selected < rows.length;
}

// A list keeps its selection when it is replaced.
function keepSelection() {
  let kept = [];
  document.addEventListener("htmx:beforeSwap", () => {
    kept = rowBoxes().filter((box) => box.checked).map((box) => box.value);
  });
  document.addEventListener("htmx:afterSwap", () => {
    if (kept.length === 0) return;
    for (const box of rowBoxes()) box.checked ||= kept.includes(box.value);
    showSelection();
  });
}
