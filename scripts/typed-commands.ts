/** The commands of a block of a document, one line each, as one would type them: without comments. */
export function typedCommands(block: string): string[] {
  return block
    .split("\n")
    .map((line) => line.replace(/(^|\s+)# .*$/, "").trim())
    .filter(Boolean);
}
