// hx-swap="patch" replaces an element like outerHTML, but changes only what differs. The focus, the selection, the
// scroll position, open details and typed text stay. Elements with the same id are considered the same; so are forms,
// rows and list items with the same first id, and fields with the same name.

export function startPatching() {
  window.htmx?.defineExtension("patch", {
    handleSwap(style, target, fragment) {
      const fresh = style === "patch" && fragment.firstElementChild;
      if (!fresh) return false;
      const focused = document.activeElement;
      const touched = [];
      patch(target, fresh, touched);
      const kept = focused?.isConnected ? focused : document.getElementById(focused?.id);
      if (kept && kept !== document.activeElement) kept.focus({ preventScroll: true });
      // Without this, htmx would focus fields with autofocus again when it processes the new parts.
      for (const field of target.querySelectorAll("[autofocus]")) field.removeAttribute("autofocus");
      return touched;
    },
  });
}

// isWritten reports whether scripts or the person fill in a field, which is then left alone.
const filled = "[data-now-in], [data-keep]";
const isWritten = (field) =>
  field.matches("input:not([type=checkbox], [type=radio], [type=hidden]), textarea") && field.value !== field.defaultValue;

// Without this, the server's choice would replace the person's in a select. Check boxes keep theirs anyway.
const isSet = (field) => field.matches("select") && chosen(field) !== intended(field);
const chosen = (select) => [...select.selectedOptions].map((option) => option.value).join();
const intended = (select) => {
  const options = [...select.options].filter((option) => option.defaultSelected);
  if (select.multiple) return options.map((option) => option.value).join();
  return (options.at(-1) ?? [...select.options].find((option) => !option.disabled))?.value;
};

const fieldKey = ({ type, name, value }) => `${type} ${name} ${["checkbox", "radio"].includes(type) ? value : ""}`;
const keyOf = (node) => {
  if (node.id) return node.id;
  if (node.matches?.("input, select, textarea, button")) return fieldKey(node);
  return (node.matches?.("form, tr, li") && node.querySelector("[id]")?.id) || "";
};

function patch(old, fresh, touched) {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeName !== fresh.nodeName || old.id !== fresh.id) {
    old.replaceWith(fresh);
    touched.push(fresh);
  } else if (old.nodeType !== Node.ELEMENT_NODE) {
    old.data = fresh.data;
  } else if (!old.matches(filled) && !isSet(old) && !(old.matches("form") && [...old.elements].some(isWritten))) {
    if (patchAttributes(old, fresh)) touched.push(old);
    patchChildren(old, fresh, touched);
  }
}

// patchAttributes returns whether an attribute that htmx reads has changed.
function patchAttributes(old, fresh) {
  let read = false;
  const kept = (name) => name === "tabindex" || (name === "open" && old.matches("details, dialog"));
  const names = new Set([...old.getAttributeNames(), ...fresh.getAttributeNames()]);
  for (const name of names) {
    const value = fresh.getAttribute(name);
    if (kept(name) || old.getAttribute(name) === value) continue;
    if (value === null) old.removeAttribute(name);
    else old.setAttribute(name, value);
    read ||= name.startsWith("hx-");
  }
  return read;
}

function patchChildren(old, fresh, touched) {
  const keyed = new Map([...old.children].map((child) => [keyOf(child), child]));
  const wanted = new Set([...fresh.children].map(keyOf));
  let place = old.firstChild;
  const remove = (node) => {
    place = node.nextSibling;
    node.remove();
  };
  for (const next of [...fresh.childNodes]) {
    while (place && keyOf(place) && !wanted.has(keyOf(place))) remove(place);
    const key = keyOf(next);
    const isSame = (node) => node && keyOf(node) === key && node.nodeName === next.nodeName;
    const known = [place, key && keyed.get(key)].find(isSame);
    if (!known) {
      old.insertBefore(next, place);
      touched.push(next);
      continue;
    }
    if (keyed.get(key) === known) keyed.delete(key);
    if (known === place) place = place.nextSibling;
    else old.insertBefore(known, place);
    patch(known, next, touched);
  }
  while (place) remove(place);
}
