// Runs before the first paint: applies the chosen theme, and adds a class by which the style sheet detects scripts.
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  try {
    const theme = localStorage.getItem("belfry.theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch {
    // Storage may be disabled. The page then matches the system.
  }
})();
