// After each change, the server renders the form again: which inputs the accounts and files allow, what is wrong, and
// what would be sent. The page updates what differs.
import { morph } from "/static/js/morph.js";
import { showToast } from "/static/js/toast.js";

const typingPause = 400; // milliseconds after the last key
const retryWait = 5000; // milliseconds to wait after a failed request, unless the server says how long

// formEntries returns what the form would send, as pairs, without files from the device, which are uploaded separately.
export const formEntries = (form) => [...new FormData(form)].filter(([, value]) => typeof value === "string");

// startRedrawing updates a form while the person fills it in. It dispatches "redrawn" to the form after each update.
export function startRedrawing(form) {
  const submitButton = () => form.querySelector("#submit");
  let timer;
  let request;
  let changed = false;

  async function redraw() {
    clearTimeout(timer);
    request?.abort();
    const current = (request = new AbortController());
    changed = false;
    form.toggleAttribute("data-planning", true);
    try {
      const uploading = form.querySelector(".uploads[data-busy]") ? [["uploading", "true"]] : [];
      const answer = await fetch(form.dataset.plan, {
        method: "POST",
        body: new URLSearchParams([...formEntries(form), ...uploading]),
        headers: { "HX-Request": "true" },
        signal: current.signal,
      });
      const redirect = answer.headers.get("HX-Redirect");
      if (redirect) return location.assign(redirect);
      const text = await answer.text();
      current.signal.throwIfAborted();
      if (!answer.ok) throw readRefusal(answer, text);
      show(text);
    } catch (problem) {
      if (problem.name === "AbortError") return;
      showToast(`${problem.words || "Cannot reach the server."} Your text is still here.`);
      const waiting = !(problem.status < 500) || problem.wait > 0;
      if (waiting) timer = setTimeout(redraw, Math.max(retryWait, problem.wait || 0));
    } finally {
      if (request === current && !changed) form.removeAttribute("data-planning");
    }
  }

  function show(text) {
    const drawn = new DOMParser().parseFromString(text, "text/html").getElementById("compose");
    if (!drawn) throw new Error("no form");
    morph(form, drawn);
    submitButton().disabled ||= changed; // the plan does not contain the change yet
    form.dispatchEvent(new CustomEvent("redrawn"));
  }

  form.addEventListener("input", (event) => {
    if (event.target.name === "tab") return;
    changed = true;
    submitButton().disabled = true;
    form.toggleAttribute("data-planning", true);
    clearTimeout(timer);
    const types = event.target.matches?.("textarea, input:not([type=checkbox], [type=radio])");
    if (!types) request?.abort(); // its response would remove a file that was just added
    timer = setTimeout(redraw, types ? typingPause : 0);
  });
  return redraw;
}

// readRefusal returns an error for a response that is not the form, with the server's message.
function readRefusal(answer, text) {
  const told = new DOMParser().parseFromString(text, "text/html").querySelector("[data-code] p");
  return Object.assign(new Error(text), {
    status: answer.status,
    words: told?.textContent.trim().replace(/\s+/g, " "),
    wait: Number(answer.headers.get("Retry-After")) * 1000,
  });
}
