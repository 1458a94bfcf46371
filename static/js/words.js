// selectedText returns how many of some inputs are selected, in words.
export const selectedText = (inputs) => `${inputs.filter((one) => one.checked).length} of ${inputs.length} selected`;

// containsWords returns whether a text contains each word of a query.
export function containsWords(text, query) {
  const found = text.toLowerCase();
  return query.toLowerCase().split(/\s+/).every((word) => found.includes(word));
}
