// containsWords returns whether a text contains each word of a query.
export function containsWords(text, query) {
  const found = text.toLowerCase();
  return query.toLowerCase().split(/\s+/).every((word) => found.includes(word));
}
