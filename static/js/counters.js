// Each network counts in its own unit. The server's count takes precedence.
const count = {
  bytes: (text) => new TextEncoder().encode(text).length,
  characters: (text) => [...text].length,
  utf16: (text) => text.length,
};

// A form sends line ends as CRLF, and the server converts them to LF. The value in the browser already has LF.
const textFor = (form, network) => {
  if (form.querySelector(`[data-no-text="${CSS.escape(network)}"]`)?.checked) return "";
  return form.querySelector(`[data-override="${CSS.escape(network)}"]`)?.value || form.elements.text.value;
};

const characters = (n) => (n === 1 ? "1 character" : `${n.toLocaleString("en-GB")} characters`);

// showRoom shows how many characters are left on each network.
export function showRoom(form) {
  for (const counter of form.querySelectorAll("[data-counter]")) {
    const { unit, max, extra } = counter.dataset;
    const text = textFor(form, counter.dataset.counter);
    const length = (count[unit] ?? count.characters)(text);
    const left = Number(max) - length - Number(extra);
    counter.querySelector(".counter-room").textContent = left < 0 ? `too long by ${characters(-left)}` : `${characters(left)} left`;
    counter.classList.toggle("over", left < 0);
    counter.querySelector(".counter-more").hidden = length <= count.characters(text);
  }
}
