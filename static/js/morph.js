// Changes an element of the page into the server's new version of it, with idiomorph. The focus, the selection and the
// scroll position stay, and so does what the person has typed, chosen or opened. An element with data-keep is left
// alone, and so is a form inside the element while the person fills it in.
//
// idiomorph recognizes elements by their ids. So each element that the person can change needs an id; otherwise, it may
// turn into its neighbor. A test checks that (views/layout/rules_test.go).

// startMorphing defines hx-swap="morph", which replaces an element like outerHTML but changes only what differs.
export function startMorphing() {
  window.htmx?.defineExtension("morph", {
    handleSwap(style, target, fragment) {
      const wanted = style === "morph" && fragment.firstElementChild;
      if (!wanted) return false;
      const shown = morph(target, wanted);
      // Without this, htmx would focus fields with autofocus again when it processes the new parts.
      for (const field of shown.querySelectorAll("[autofocus]")) field.removeAttribute("autofocus");
      return [shown];
    },
  });
}

// morph changes an element into the wanted one, and returns the element that the page shows now.
export function morph(element, wanted) {
  const focused = document.activeElement;
  const choices = new Map([...element.querySelectorAll("select")].map((select) => [select, choiceOf(select)]));
  let added; // the last new node
  let version; // the new version of the node whose attributes are compared
  const [shown] = window.Idiomorph.morph(element, wanted, {
    restoreFocus: false, // it would scroll
    callbacks: {
      beforeNodeAdded(node) {
        added = node;
      },
      beforeNodeMorphed(node, next) {
        version = next;
        return node === element || !isKept(node);
      },
      // After the attributes, idiomorph would also set values and checked states. The browser does this itself, unless
      // the person has changed them.
      beforeAttributeUpdated: (name, node) =>
        node.getAttribute(name) !== version.getAttribute(name) && (version === added || !belongsToPerson(name, node)),
    },
  });
  for (const [select, choice] of choices) choose(select, choice);
  const kept = focused?.isConnected ? focused : document.getElementById(focused?.id);
  if (kept && kept !== document.activeElement) kept.focus({ preventScroll: true });
  return shown;
}

const isKept = (node) => node instanceof Element && (node.matches("[data-keep]") || isFilledIn(node));

const isFilledIn = (node) => node.matches("form") && [...node.elements].some(isTyped);

const isTyped = (field) =>
  field.matches("input:not([type=checkbox], [type=radio], [type=hidden]), textarea") && field.value !== field.defaultValue;

// The person decides what is open.
const belongsToPerson = (name, node) => name === "open" && node.matches("details, dialog");

// choiceOf returns the value that the person has chosen, or undefined if it is the server's choice.
const choiceOf = (select) => (select.value === serversChoice(select) ? undefined : select.value);

const serversChoice = ({ options }) =>
  ([...options].findLast((option) => option.defaultSelected) ?? [...options].find((option) => !option.disabled))?.value;

function choose(select, choice) {
  const isOffered = [...select.options].some((option) => option.value === choice);
  const value = isOffered ? choice : serversChoice(select);
  if (select.value !== value) select.value = value;
}
