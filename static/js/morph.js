// morph makes an element like another one and keeps its nodes, so that focus, selection and what a person is writing stay.
// What a person has entered is never touched, nor what is inside [data-keep].
export function morph(element, wanted) {
  if (element.isEqualNode(wanted)) return;
  morphAttributes(element, wanted);
  if (!element.matches("textarea, [data-keep]")) morphChildren(element, wanted);
}

function morphAttributes(element, wanted) {
  // Whether details are open is the person's.
  const theirs = element instanceof HTMLDetailsElement ? ["open"] : element.matches("[data-keep]") ? ["hidden", "class"] : [];
  for (const { name } of [...element.attributes]) {
    if (!wanted.hasAttribute(name) && !theirs.includes(name)) element.removeAttribute(name);
  }
  for (const { name, value } of wanted.attributes) {
    if (element.getAttribute(name) !== value && !theirs.includes(name)) element.setAttribute(name, value);
  }
}

// Elements with an id, inputs and their .field are found wherever they are, so that no input becomes another one. Other
// nodes are matched in their order.
function morphChildren(parent, wanted) {
  const named = new Map([...parent.children].filter((child) => child.id).map((child) => [child.id, child]));
  let place = parent.firstChild;
  for (const next of [...wanted.childNodes]) {
    const kept = next.id ? named.get(next.id) : findAlike(place, next);
    if (!kept || kept.nodeName !== next.nodeName) {
      parent.insertBefore(next, place);
      continue;
    }
    if (kept === place) place = place.nextSibling;
    else parent.insertBefore(kept, place);
    if (kept instanceof Element) morph(kept, next);
    else if (kept.nodeValue !== next.nodeValue) kept.nodeValue = next.nodeValue;
  }
  while (place) {
    const gone = place;
    place = place.nextSibling;
    gone.remove();
  }
}

function findAlike(place, next) {
  const input = inputOf(next);
  if (!input) return place && !place.id && place.nodeName === next.nodeName && !inputOf(place) ? place : null;
  for (let node = place; node; node = node.nextSibling) {
    if (!node.id && node.nodeName === next.nodeName && inputOf(node) === input) return node;
  }
  return null;
}

const inputs = "input, select, textarea, button";

// inputOf names an input, or that of a field.
function inputOf(node) {
  if (!(node instanceof Element)) return "";
  const input = node.matches(inputs) ? node : node.matches(".field") && node.querySelector(inputs);
  return input ? `${input.type} ${input.name} ${input.id}` : "";
}
