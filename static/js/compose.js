import { keepDraft } from "/static/js/draft.js";

export { forgetDrafts } from "/static/js/draft.js";

// Each network counts in its own unit; the server counts again and has the last word.
const count = {
  bytes: (text) => new TextEncoder().encode(text).length,
  characters: (text) => [...text].length,
  utf16: (text) => text.length,
};

// A form sends line ends as CRLF and the server makes them LF; the browser's value has LF already.
const textFor = (form, network) =>
  form.querySelector(`[data-override="${CSS.escape(network)}"]`)?.value || form.elements.text.value;

function countAll(form) {
  const chosen = new Set([...form.querySelectorAll("input[data-platform]:checked")].map((input) => input.dataset.platform));
  for (const counter of form.querySelectorAll("[data-counter]")) {
    const network = counter.dataset.counter;
    const used = (count[counter.dataset.unit] ?? count.characters)(textFor(form, network));
    const max = Number(counter.dataset.max);
    counter.querySelector(".counter-used").textContent = String(used);
    counter.classList.toggle("over", max > 0 && used > max);
    counter.hidden = chosen.size > 0 && !chosen.has(network);
  }
  for (const own of form.querySelectorAll("[data-network]")) own.hidden = !chosen.has(own.dataset.network);
}

// A choice is offered where every chosen account can use it. What is already chosen stays, and the plan says why it
// cannot be used.
function offerShared(form) {
  const chosen = [...form.querySelectorAll("input[data-platform]:checked")].map((input) => input.value);
  for (const option of form.querySelectorAll("option[data-not-for]")) {
    const without = option.dataset.notFor.split(" ");
    option.disabled = option.hidden = !option.selected && chosen.some((account) => without.includes(account));
  }
}

// The button says what the plan says, and can be pressed when nothing stands in the way.
function followPlan(form) {
  const plan = form.querySelector("#plan .plan");
  const button = form.querySelector("#submit");
  const label = form.querySelector("[data-submit-label]");
  if (!plan || !button) return;
  button.disabled = !plan.hasAttribute("data-ready");
  label.textContent = plan.dataset.submit;
}

// An error stays at its input for as long as the plan has it.
function dropErrors(form) {
  const wrong = form.querySelector("#plan .plan").dataset.wrong.split(" ");
  for (const note of form.querySelectorAll('.error[id$="-error"]')) {
    const owner = form.querySelector(`[aria-describedby~="${CSS.escape(note.id)}"]`);
    if (wrong.includes(owner?.name || note.id.replace(/-error$/, ""))) continue;
    note.closest(".field")?.classList.remove("wrong");
    note.remove();
    owner?.removeAttribute("aria-invalid");
    owner?.setAttribute("aria-describedby", owner.getAttribute("aria-describedby").replace(note.id, "").trim());
  }
}

// startComposer counts while one writes, keeps what is written and follows the plan.
export async function startComposer() {
  const form = document.getElementById("compose");
  if (!form) return;

  await keepDraft(form);
  countAll(form);
  offerShared(form);
  form.addEventListener("input", () => {
    countAll(form);
    offerShared(form);
  });

  // What would be sent has changed: until the plan has seen it, the button waits.
  form.addEventListener("input", () => {
    form.querySelector("#submit").disabled = true;
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    followPlan(form);
    if (event.detail.successful && event.detail.target.id === "plan") dropErrors(form);
  });
  followPlan(form);

  // Files that are chosen are uploaded at once.
  form.addEventListener("change", (event) => {
    if (!event.target.matches("#upload") || event.target.files.length === 0) return;
    form.requestSubmit(form.querySelector("[data-uploads]"));
  });

  // One press sends once. A browser that keeps the page as it was, and shows it again on the way back, would
  // show what has been sent as if it had not: the page is asked for anew.
  form.addEventListener("submit", () => {
    const button = form.querySelector("#submit");
    setTimeout(() => (button.disabled = true));
    addEventListener("pageshow", () => location.reload(), { once: true });
  });

  // A text may be there already: kept by the browser, or typed before this script ran.
  const planned = form.querySelector("#plan .plan")?.hasAttribute("data-planned");
  if (!planned && form.elements.text.value) askForPlan(form);
}

// htmx may still be loading when a text wants its plan.
function askForPlan(form) {
  const ask = () => window.htmx.trigger(form, "replan");
  if (window.htmx && document.readyState === "complete") ask();
  else addEventListener("load", ask, { once: true });
}
