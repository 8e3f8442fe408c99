/**
 * The same text for what differs only in the order of its keys: API servers sort them, or give them back as they came.
 */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, sortedKeys);
}

function sortedKeys(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
