// Updates the page when something changes in the workspace. An element names what it shows in data-live: "posts",
// "media", or the id of a post or file, separated by spaces. When that has changed, the element gets the event "live":
//
//   <div id="posts" data-live="posts" hx-get="…" hx-trigger="live" hx-swap="morph">
//
// A hidden page is not updated. When it becomes visible, all its elements are updated.
//
// The number of failed posts in the navigation is updated on every page.

// Milliseconds to wait after the server has refused the stream: firstWait at first, then twice as long each time, up to
// longestWait.
const firstWait = 20_000;
const longestWait = 600_000;

export function startLive() {
  const address = document.body.dataset.stream;
  if (!address) return;
  let stream, timer, missed;
  let wait = firstWait;

  const close = () => {
    clearTimeout(timer);
    stream?.close();
    stream = undefined;
    missed = true;
  };
  const open = () => {
    clearTimeout(timer);
    if (document.hidden || stream) return;
    stream = new EventSource(address);
    stream.addEventListener("open", () => {
      wait = firstWait;
      if (missed) updateElements(() => true);
      missed = false;
    });
    stream.addEventListener("change", (event) => {
      const changed = JSON.parse(event.data);
      const ids = [...(changed.posts ?? []), ...(changed.media ?? [])];
      updateElements((shown) => changed.all || changed[shown]?.length > 0 || ids.includes(shown));
    });
    stream.addEventListener("failed", (event) => showFailedCount(JSON.parse(event.data)));
    stream.addEventListener("error", () => {
      missed = true;
      if (stream?.readyState !== EventSource.CLOSED) return; // the browser reconnects automatically
      close();
      timer = setTimeout(() => {
        updateElements(() => true);
        open();
      }, wait);
      wait = Math.min(2 * wait, longestWait);
    });
  };

  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", open);
  open();
}

function updateElements(isConcerned) {
  for (const element of document.querySelectorAll("[data-live]")) {
    if (element.dataset.live.split(" ").some(isConcerned)) requestUpdate(element);
  }
}

// showFailedCount shows the number of failed posts in the navigation, as a text; "" hides it.
function showFailedCount(count) {
  for (const link of document.querySelectorAll(".attention-link")) {
    link.hidden = !count;
    if (count) link.querySelector("b").firstChild.data = count + " ";
  }
}

const late = new WeakSet(); // elements with a change that came during an update

// requestUpdate updates an element. If an update of the element is in progress, the next one starts after it, because
// htmx can drop the event (hx-sync).
function requestUpdate(element) {
  if (!element.matches(".htmx-request")) {
    element.dispatchEvent(new CustomEvent("live"));
    return;
  }
  if (late.has(element)) return;
  late.add(element);
  const retry = () => {
    late.delete(element);
    setTimeout(() => requestUpdate(element)); // the request that ended may be that of a part of the element
  };
  element.addEventListener("htmx:afterRequest", retry, { once: true });
}
