// nameZone returns the name of a zone with its city first, for example "Salta (America/Argentina)".
const nameZone = (zone) => {
  const parts = zone.replaceAll("_", " ").split("/");
  const city = parts.pop();
  return parts.length > 0 ? `${city} (${parts.join("/")})` : city;
};

// offerZones replaces an input for a time zone by a menu of all zones that the browser knows, because browsers filter
// suggestions by the input's value. If the input is empty, the browser's own zone is chosen.
export function offerZones() {
  const input = document.querySelector("[data-zone-input]");
  const known = Intl.supportedValuesOf?.("timeZone");
  if (!input) return;
  const chosen = input.value || Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
  input.value = chosen;
  if (!known) return;
  const menu = document.createElement("select");
  for (const name of ["id", "name", "required", "aria-invalid", "aria-describedby"]) {
    if (input.hasAttribute(name)) menu.setAttribute(name, input.getAttribute(name));
  }
  const options = [...new Set(["UTC", chosen, ...known])].map(
    (zone) => new Option(nameZone(zone), zone, zone === chosen, zone === chosen),
  );
  menu.append(...options.sort((a, b) => a.text.localeCompare(b.text, "en")));
  const hadFocus = document.activeElement === input;
  input.replaceWith(menu);
  if (hadFocus) menu.focus();
}

// timeIn says what time it is in a zone, unless the browser's own clock shows the same time.
function timeIn(zone) {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const format = (timeZone) =>
    new Intl.DateTimeFormat("en-GB", { timeZone, weekday: "short", hour: "2-digit", minute: "2-digit" }).format(Date.now());
  const there = format(zone);
  return here && here !== zone && format(here) !== there ? `, now ${there}` : "";
}

const count = (n, noun) => (n ? `${n.toLocaleString("en-GB")} ${n === 1 ? noun : `${noun}s`}` : "");

// timeUntil says how far away a time is, in the words of the server (timeUntilText in views/posts/form.go).
function timeUntil(at, zone) {
  const now = Date.now();
  const minutes = Math.floor((at - now) / 60_000);
  const dayOf = (time) => Date.parse(new Intl.DateTimeFormat("en-CA", { timeZone: zone }).format(time)) / 86_400_000;
  const days = dayOf(at) - dayOf(now);
  if (minutes < 1) return minutes < -1 ? "in the past" : "now";
  if (minutes >= 24 * 60 && days > 0) return days === 1 ? "tomorrow" : `in ${count(days, "day")}`;
  return ["in", count(Math.floor(minutes / 60), "hour"), count(minutes % 60, "minute")].filter(Boolean).join(" ");
}

// showWeekdays shows the chosen days in words, because inputs for dates show no day of the week.
export function showWeekdays() {
  const words = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeZone: "UTC" });
  for (const element of document.querySelectorAll("[data-day-of]")) {
    const day = Date.parse(document.getElementById(element.dataset.dayOf).value.slice(0, 10));
    element.textContent = day ? words.format(day).replace(",", "") : ""; // as the server writes days
  }
}

function showClocks() {
  for (const element of document.querySelectorAll("[data-now-in], [data-until]")) {
    const { nowIn, until, zone } = element.dataset;
    try {
      element.textContent = nowIn ? timeIn(nowIn) : timeUntil(Date.parse(until), zone);
    } catch {
      // This browser may not know a zone that the server knows.
    }
  }
}

// startClocks shows the present time in a form's zone if the browser is in another zone, and how far away a chosen time
// is. Both are updated every minute, and when the page changes or becomes visible.
export function startClocks() {
  const tick = () => {
    showClocks();
    setTimeout(tick, 60_000 - (Date.now() % 60_000));
  };
  tick();
  showWeekdays();
  document.addEventListener("input", showWeekdays);
  document.addEventListener("htmx:load", showClocks);
  document.addEventListener("htmx:load", showWeekdays);
  document.addEventListener("visibilitychange", showClocks);
}
