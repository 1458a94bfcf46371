// followKeyboard gives the style sheet the height of a phone's keyboard, so that the submit button stays visible above
// the keyboard.
export function followKeyboard() {
  const view = window.visualViewport;
  if (!view) return;
  const root = document.documentElement;
  let tallest = 0;
  let width = 0;
  const follow = () => {
    if (innerWidth !== width) [tallest, width] = [0, innerWidth];
    tallest = Math.max(tallest, innerHeight);
    const open = view.scale === 1 && view.height < tallest * 0.75;
    root.classList.toggle("keyboard-open", open);
    if (open) root.style.setProperty("--keyboard", `${Math.max(0, innerHeight - view.height - view.offsetTop)}px`);
  };
  view.addEventListener("resize", follow);
  view.addEventListener("scroll", follow);
  requestAnimationFrame(follow); // running it immediately would calculate the layout an extra time
}
