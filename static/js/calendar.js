// The calendar: arrow keys move the focus from post to post, and dragging or M moves a post to another time.
import { showToast } from "/static/js/toast.js";
import { showWeekdays } from "/static/js/zone.js";

const calendar = () => document.getElementById("calendar");
const dialog = () => document.getElementById("move");
const moveForm = () => dialog()?.querySelector("form");
const stopSelector = ".entry, .more, .add, .day-link, .clock-change";
const postIdOf = (entry) => entry.id.replace(/^(entry|row)-/, "");
const togetherOf = (entry) => (entry.hasAttribute("data-together") ? "yes" : "");
const cellSelector = "#calendar :is(td[data-day], section[data-day], li[data-hour])";
const dayOf = (cell) => cell.closest("[data-day]").dataset.day;
const isShown = (element) => element.getClientRects().length > 0;
const stopsIn = (element) => [...element.querySelectorAll(stopSelector)].filter(isShown);
const cellOf = (stop) => stop.closest("td, [data-hour]");
// In a month, the link to the composer beside a day is not a stop of the arrow keys: the Tab key leads to it.
const isBeside = (stop) => stop.matches(".day-link ~ .add");
const arrowStopsIn = (element) => stopsIn(element).filter((stop) => !isBeside(stop));

let tabStop; // the stop that the Tab key reaches; arrow keys lead to the others

function moveTabStop(to) {
  const stops = arrowStopsIn(calendar());
  tabStop = stops.includes(to) ? to : stops.includes(tabStop) ? tabStop : firstStop(stops);
  for (const one of stopsIn(calendar())) {
    one.tabIndex = one === tabStop || (isBeside(one) && cellOf(one).contains(tabStop)) ? 0 : -1;
  }
}

const firstStop = (stops) => stops.find((one) => one.closest(".today, .now")) ?? stops[0];

const day = 24;
const steps = {
  month: { ArrowLeft: -day, ArrowRight: day, ArrowUp: -7 * day, ArrowDown: 7 * day },
  week: { ArrowLeft: -day, ArrowRight: day, ArrowUp: -1, ArrowDown: 1 },
};

// neighborOf returns the stop to which an arrow key moves the focus: in the same day or hour, or else in the nearest
// day or hour that has a stop, in the key's direction.
function neighborOf(from, key) {
  const back = key === "ArrowUp" || key === "ArrowLeft";
  const cell = cellOf(from);
  const along = arrowStopsIn(cell ?? calendar());
  const next = along[along.indexOf(isBeside(from) ? tabStop : from) + (back ? -1 : 1)];
  if (!cell || (next && key !== "ArrowLeft" && key !== "ArrowRight")) return next;

  const nameOf = (at) => (cell.dataset.hour ? at.toISOString().slice(0, 13) : at.toISOString().slice(0, 10));
  const cells = new Map(
    [...document.querySelectorAll(cellSelector)].map((one) => [[dayOf(one), one.dataset.hour].filter(Boolean).join("T"), one]),
  );
  const at = new Date(`${dayOf(cell)}T${cell.dataset.hour ?? "00"}:00Z`);
  for (let tries = cells.size; tries > 0; tries--) {
    at.setUTCHours(at.getUTCHours() + steps[calendar().dataset.view][key]);
    const found = cells.get(nameOf(at)) ? arrowStopsIn(cells.get(nameOf(at))) : [];
    if (found.length > 0) return found[key === "ArrowUp" ? found.length - 1 : 0];
  }
  return undefined;
}

function handleKey(event) {
  const at = event.target.closest?.("#calendar") && event.target.closest(stopSelector);
  if (!at || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key.toLowerCase() === "m" && at.hasAttribute("data-movable") && dialog()) {
    event.preventDefault();
    askForTime(at);
  } else if (event.key.startsWith("Arrow")) {
    event.preventDefault();
    neighborOf(at, event.key)?.focus();
  }
}

// The posts that an entry stands for are listed in a dialog.
function openTogether(event) {
  const entry = event.target.closest?.("#calendar [data-together]");
  if (!entry || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  window.htmx.ajax("GET", entry.href, { target: "#dialog", swap: "innerHTML" });
}

// The dialog offers to move all posts that it lists. An update may have removed their entry.
function moveListed(event) {
  const button = event.target.closest?.("#dialog [data-moves]");
  if (!button) return;
  button.closest("dialog").close(); // before the other dialog opens, because closing moves the focus
  const entry = calendar().querySelector(`:is(#entry-${button.dataset.moves}, #row-${button.dataset.moves})`);
  if (entry) askForTime(entry);
}

function askForTime(entry) {
  const form = moveForm();
  form.elements.post.value = postIdOf(entry);
  form.elements.revision.value = entry.dataset.revision;
  form.elements.together.value = togetherOf(entry);
  form.elements.form.value = calendar().dataset.form;
  form.elements.at.value = entry.dataset.at;
  showWeekdays();
  for (const part of ["text", "about"])
    form.querySelector(`#move-${part}`).textContent = entry.querySelector(`.entry-${part}`).textContent;
  const count = entry.dataset.together;
  form.querySelector("[type=submit]").textContent = count ? `Move ${count} posts` : "Move post";
  form.querySelector("#move-refused").replaceChildren();
  dialog().close(); // a page may show it as a part of itself
  dialog().showModal();
  form.elements.at.focus();
}

// moveInPage moves an entry to a time in a day or an hour, and returns a function that moves it back.
function moveInPage(entry, at, cell) {
  const item = entry.closest("li");
  const [list, next, before] = [item.parentElement, item.nextSibling, entry.dataset.at];
  const show = (time) => {
    entry.dataset.at = time;
    entry.querySelector("time").textContent = time.slice(11);
  };
  let entries = cell.querySelector(".entries, .day-posts");
  if (!entries) {
    entries = document.createElement("ul");
    entries.className = list.className;
    cell.querySelector(".day-head, h2")?.after(entries) ?? cell.prepend(entries);
  }
  show(at);
  entries.insertBefore(item, [...entries.children].find((other) => other !== item && other.querySelector(".entry").dataset.at > at));
  return () => {
    show(before);
    list.insertBefore(item, next?.parentElement === list ? next : null);
  };
}

const undoMoves = new WeakMap(); // functions that move entries back, by entry that is being saved

function moveAndSave(entry, at, cell) {
  undoMoves.set(entry, moveInPage(entry, at, cell));
  entry.classList.add("moving");
  window.htmx.ajax("POST", moveForm().getAttribute("action"), {
    source: entry,
    target: "#calendar",
    swap: "morph",
    values: {
      post: postIdOf(entry),
      at,
      revision: entry.dataset.revision,
      together: togetherOf(entry),
      form: calendar().dataset.form,
    },
  });
}

function slideBack(entry) {
  const takeBack = undoMoves.get(entry);
  if (!takeBack) return;
  undoMoves.delete(entry);
  const from = entry.getBoundingClientRect();
  takeBack();
  entry.classList.remove("moving");
  const to = entry.getBoundingClientRect();
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  entry.animate([{ transform: `translate(${from.x - to.x}px, ${from.y - to.y}px)` }, { transform: "none" }], 140);
}

const dragThreshold = 5; // pixels
const scrollEdge = 32; // pixels
const scrollTick = 50; // milliseconds
const scrollAfter = 8; // ticks at the edge
let drag;

function startDrag(event) {
  const entry = event.target.closest?.("#calendar .entry[data-movable]");
  if (!entry || !moveForm() || event.button !== 0 || event.pointerType === "touch") return;
  entry.draggable = false; // otherwise, the browser would drag the link
  drag = { entry, x: event.clientX, y: event.clientY };
}

function continueDrag(event) {
  if (!drag) return;
  const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
  if (!drag.ghost) {
    if (Math.hypot(dx, dy) < dragThreshold) return;
    liftEntry();
  }
  drag.ghost.style.transform = `translate(${dx}px, ${dy}px)`;
  drag.at = [event.clientX, event.clientY];
  markTarget();
}

// markTarget marks the day or the hour under the pointer.
function markTarget() {
  const over = document.elementFromPoint(...drag.at)?.closest(cellSelector);
  if (over === drag.over) return;
  drag.over?.classList.remove("drop");
  over?.classList.add("drop");
  drag.over = over;
}

// scrollAtEdge scrolls the hours of a week, or else the page, while the pointer stays at the edge.
function scrollAtEdge() {
  const y = drag.at[1];
  const week = document.querySelector(".week");
  const scrolls = week && week.scrollHeight > week.clientHeight;
  const { top, bottom } = scrolls ? week.getBoundingClientRect() : { top: 0, bottom: innerHeight };
  const by = y < top + scrollEdge ? -scrollEdge / 2 : y > bottom - scrollEdge ? scrollEdge / 2 : 0;
  drag.ticksAtEdge = by === 0 ? 0 : drag.ticksAtEdge + 1;
  if (drag.ticksAtEdge <= scrollAfter) return;
  (scrolls ? week : window).scrollBy(0, by);
  markTarget();
}

// liftEntry starts dragging: a copy of the entry follows the pointer.
function liftEntry() {
  const box = drag.entry.getBoundingClientRect();
  drag.ghost = drag.entry.cloneNode(true);
  drag.ghost.removeAttribute("id");
  drag.ghost.setAttribute("aria-hidden", "true");
  drag.ghost.classList.add("ghost");
  Object.assign(drag.ghost.style, { left: `${box.left}px`, top: `${box.top}px`, width: `${box.width}px` });
  document.body.append(drag.ghost);
  drag.entry.classList.add("dragged");
  drag.ticksAtEdge = 0;
  drag.timer = setInterval(scrollAtEdge, scrollTick);
}

function endDrag(isDropped) {
  if (!drag) return;
  const { entry, ghost, over, timer } = drag;
  clearInterval(timer);
  drag = undefined;
  if (!ghost) return;
  ghost.remove();
  entry.classList.remove("dragged");
  over?.classList.remove("drop");
  // The click at the end of a drag must not open a link.
  const ignore = (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener("click", ignore, { capture: true });
  setTimeout(() => removeEventListener("click", ignore, { capture: true }));
  if (!isDropped) return;
  if (!over) return showToast(`Not moved. Drop the post on ${document.querySelector(".week") ? "an hour" : "a day"}.`);
  const at = `${dayOf(over)}T${over.dataset.hour ?? entry.dataset.at.slice(11, 13)}:${entry.dataset.at.slice(14)}`;
  if (at !== entry.dataset.at) moveAndSave(entry, at, over);
}

// A week opens at its first post or, if that is earlier, an hour before the present time. The fragment of an address
// does this without scripts, but it also scrolls the page, so that the page's head is out of sight.
function openWeek() {
  const start = document.getElementById("start");
  const week = start?.closest(".week");
  if (!week || !["", "#start"].includes(location.hash)) return;
  if (location.hash) {
    history.replaceState(history.state, "", location.pathname + location.search);
    scrollTo(0, 0);
  }
  const edge = week.getBoundingClientRect().top + week.querySelector("h2").offsetHeight;
  week.scrollTop += start.getBoundingClientRect().top - edge;
  // A week cannot scroll beyond its end. It must not open with half an hour, and half a post, below the days.
  const hours = [...week.querySelectorAll(".week-hours span")].map((hour) => hour.getBoundingClientRect());
  const first = hours.find((hour) => hour.bottom > edge + 1);
  if (first) week.scrollTop += first.top - edge;
  // At the end of the day, this may have moved the end of the present hour out of sight.
  const now = week.querySelector("li.now")?.getBoundingClientRect();
  const below = now ? now.bottom - week.getBoundingClientRect().bottom : 0;
  if (below > 0) week.scrollTop += Math.min(below, now.top - edge);
}

// A month opens with this week and the next one in sight, unless the browser restores where the person was.
function openMonth() {
  const week = document.querySelector(".month .today:not(.outside)")?.closest("tr");
  const isOpened = performance.getEntriesByType("navigation")[0]?.type === "navigate";
  if (!week || !isOpened || location.hash) return;
  for (const part of [week.nextElementSibling, week]) part?.scrollIntoView({ block: "nearest" });
}

let shownAt = performance.now();

// showNow moves the line of the present time. When the hour is over, it updates the calendar.
function showNow() {
  const hour = calendar()?.querySelector("li.now");
  if (!hour) return;
  const minute = Number(hour.dataset.minute) + (performance.now() - shownAt) / 60_000;
  hour.querySelector(".now-line").style.top = `${Math.min((minute / 60) * 100, 100)}%`;
  if (minute >= 60) calendar().dispatchEvent(new CustomEvent("live"));
}

function showCalendar() {
  if (!calendar()) return;
  shownAt = performance.now();
  moveTabStop();
  showNow();
}

// idsOfMoved returns the posts that a request moves: that of the dialog or a dragged entry, or those of an Undo.
function idsOfMoved(elt) {
  if (elt.matches(".entry")) return [postIdOf(elt)];
  if (elt === moveForm()) return [elt.elements.post.value];
  if (!elt.matches("form")) return [];
  return new FormData(elt).getAll("before").map((schedule) => schedule.split(" ")[0]);
}

export function startCalendar() {
  if (!calendar()) return;
  showCalendar();
  openWeek();
  openMonth();
  addEventListener("hashchange", openWeek);
  setInterval(showNow, 60_000);
  document.addEventListener("keydown", handleKey);
  document.addEventListener("click", openTogether);
  document.addEventListener("click", moveListed);
  document.addEventListener("focusin", ({ target }) => {
    if (calendar().contains(target) && target.matches(stopSelector)) moveTabStop(target);
  });
  document.addEventListener("pointerdown", startDrag);
  document.addEventListener("pointermove", continueDrag);
  document.addEventListener("pointerup", () => endDrag(true));
  document.addEventListener("pointercancel", () => endDrag(false));
  document.addEventListener("keydown", (event) => event.key === "Escape" && endDrag(false), { capture: true });

  for (const failure of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) {
    document.addEventListener(failure, (event) => slideBack(event.detail.elt));
  }
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr, requestConfig } = event.detail;
    if (xhr.status >= 400 && requestConfig.elt === moveForm()) {
      event.detail.target = document.getElementById("move-refused"); // keeps what the person entered
    } else if (requestConfig.elt === calendar() && drag?.ghost) {
      event.detail.shouldSwap = false; // keeps the dragged entry
    }
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target.id !== "calendar") return;
    const moved = idsOfMoved(event.detail.requestConfig.elt);
    showCalendar();
    if (moved.length === 0) return;
    if (dialog().open) dialog().close();
    const isMoved = (stop) => stop.matches(".entry") && moved.includes(postIdOf(stop));
    (stopsIn(calendar()).find(isMoved) ?? tabStop)?.focus();
  });
}
