const key = "belfry.theme";

// A page can have two theme switches: one in the rail and, on the Appearance page, another one with a different name.
const switches = 'input[name^="theme"]';

function checkSwitches(theme) {
  for (const input of document.querySelectorAll(switches)) input.checked = input.value === theme;
}

function storedTheme() {
  try {
    return localStorage.getItem(key) ?? "system";
  } catch {
    return "system";
  }
}

function applyTheme(theme) {
  const { dataset } = document.documentElement;
  if (theme === "light" || theme === "dark") dataset.theme = theme;
  else delete dataset.theme;
}

// startTheme makes the switch between the system's theme, light and dark work, in all open tabs.
export function startTheme() {
  const show = () => {
    const now = storedTheme();
    applyTheme(now);
    checkSwitches(now);
  };
  show();
  addEventListener("storage", (event) => event.key === key && show());
  document.addEventListener("change", (event) => {
    if (!event.target.matches(switches)) return;
    applyTheme(event.target.value);
    checkSwitches(event.target.value);
    try {
      localStorage.setItem(key, event.target.value);
    } catch {
      // If storage is disabled, the choice applies only to this page.
    }
  });
}
