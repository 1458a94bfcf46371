// fillZones offers every time zone the browser knows, and guesses the person's own where none is entered.
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

function clock(zone) {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const format = (timeZone) =>
    new Intl.DateTimeFormat("en-GB", { timeZone, weekday: "short", hour: "2-digit", minute: "2-digit" }).format(new Date());
  try {
    const there = format(zone);
    return here && here !== zone && format(here) !== there ? `, now ${there}` : "";
  } catch {
    // The server may know a zone that this browser does not.
    return "";
  }
}

// showClocks says what time it is in the workspace's zone to somebody who sits in another.
export function showClocks(root) {
  for (const element of root.querySelectorAll?.("[data-now-in]") ?? []) element.textContent = clock(element.dataset.nowIn);
}
