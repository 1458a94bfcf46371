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

function differingTime(zone) {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const format = (timeZone) =>
    new Intl.DateTimeFormat("en-GB", { timeZone, weekday: "short", hour: "2-digit", minute: "2-digit" }).format(new Date());
  try {
    const there = format(zone);
    return here && here !== zone && format(here) !== there ? `, now ${there}` : "";
  } catch {
    // This browser may not know a zone that the server knows.
    return "";
  }
}

// showClocks shows the present time in the workspace's zone if the browser is in another zone.
export function showClocks(root) {
  for (const element of root.querySelectorAll?.("[data-now-in]") ?? []) element.textContent = differingTime(element.dataset.nowIn);
}
