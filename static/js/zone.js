// fillZones offers every time zone that the browser knows, and fills an empty input with the browser's own zone.
export function fillZones() {
  const input = document.querySelector("[data-guesses-zone]");
  if (!input) return;
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!input.value && here) input.value = here;
  const names = Intl.supportedValuesOf?.("timeZone") ?? [];
  input.list?.append(
    ...["UTC", ...names.filter((name) => name !== "UTC")].map((name) => {
      const option = document.createElement("option");
      option.value = name;
      return option;
    }),
  );
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
  document.addEventListener("htmx:load", showClocks);
  document.addEventListener("visibilitychange", showClocks);
}
