const MAX_BYTES = 128;

/** Who writes: by the name given, else by the program that the User-Agent names. */
export function managerName(fieldManager: string | null, userAgent: string | undefined): string {
  if (fieldManager) return fieldManager;
  let name = "";
  let bytes = 0;
  for (const character of userAgent?.split("/")[0] ?? "") {
    if (!isPrintable(character)) continue;
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_BYTES) break;
    name += character;
  }
  return name || "unknown";
}

/** Go's idea of it: letters, marks, numbers, punctuation, symbols, and of the spaces only the plain one. */
export function isPrintable(character: string): boolean {
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character);
}
