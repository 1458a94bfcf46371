// morph makes an element equal to another one but keeps its nodes, so that the focus and the selection stay. It changes
// neither what the person has entered nor anything inside [data-keep].
export function morph(element, wanted) {
  if (element.isEqualNode(wanted)) return;
  morphAttributes(element, wanted);
  if (!element.matches("textarea, [data-keep]")) morphChildren(element, wanted);
}

function morphAttributes(element, wanted) {
  // The person decides whether details are open.
  const theirs = element instanceof HTMLDetailsElement ? ["open"] : element.matches("[data-keep]") ? ["hidden", "class"] : [];
  for (const { name } of [...element.attributes]) {
    if (!wanted.hasAttribute(name) && !theirs.includes(name)) element.removeAttribute(name);
  }
  for (const { name, value } of wanted.attributes) {
    if (element.getAttribute(name) !== value && !theirs.includes(name)) element.setAttribute(name, value);
  }
}

// Elements with an id are found wherever they are. Other nodes are matched in their order, and inputs and their .field
// only with the same input, so that no input becomes another one. Old nodes are removed before new ones are inserted,
// so that nodes that keep their order are not moved, which would take the focus from them.
function morphChildren(parent, wanted) {
  const old = [...parent.childNodes];
  const named = new Map(old.filter((node) => node.id).map((node) => [node.id, node]));
  let unmatched = 0; // the index from which nodes without an id are searched
  const children = [...wanted.childNodes].map((next) => {
    const found = next.id ? named.get(next.id) : old.slice(unmatched).find((node) => isAlike(node, next));
    const kept = found?.nodeName === next.nodeName ? found : null;
    if (kept) unmatched = Math.max(unmatched, old.indexOf(kept) + 1);
    return { kept, next };
  });
  const stay = new Set(children.map(({ kept }) => kept));
  for (const node of old) if (!stay.has(node)) node.remove();
  let place = parent.firstChild;
  for (const { kept, next } of children) {
    if (kept && kept === place) place = place.nextSibling;
    else parent.insertBefore(kept ?? next, place);
    if (kept instanceof Element) morph(kept, next);
    else if (kept && kept.nodeValue !== next.nodeValue) kept.nodeValue = next.nodeValue;
  }
}

const isAlike = (node, next) => !node.id && node.nodeName === next.nodeName && inputOf(node) === inputOf(next);

const inputs = "input, select, textarea, button";

// inputOf returns the name of an input, or of the input in a field.
function inputOf(node) {
  if (!(node instanceof Element)) return "";
  const input = node.matches(inputs) ? node : node.matches(".field") && node.querySelector(inputs);
  return input ? `${input.type} ${input.name} ${input.id}` : "";
}
