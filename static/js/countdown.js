// startCountdown counts down the seconds until posts are published. Without scripts, the text stays as it is.
export function startCountdown() {
  const timer = document.querySelector("[data-counts-down]");
  if (!timer) return;
  const end = Date.now() + timer.dataset.countsDown * 1000;
  const ticks = setInterval(() => {
    const left = Math.ceil((end - Date.now()) / 1000);
    const text = left > 0 ? ` begins in ${left} ${left === 1 ? "second" : "seconds"}.` : "…";
    if (timer.textContent !== text) timer.textContent = text; // a screen reader may announce every change
    if (left <= 0 || !timer.isConnected) clearInterval(ticks);
  }, 250);
}
