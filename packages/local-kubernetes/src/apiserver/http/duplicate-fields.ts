/**
 * Paths of the fields that a JSON text gives more than once. The text must be valid JSON; anything else gives nothing.
 */
export function duplicateFields(text: string): string[] {
  const found: string[] = [];
  const stack: Frame[] = [];
  for (let at = 0; at < text.length; at++) {
    const top = stack.at(-1);
    switch (text[at]) {
      case "{":
        stack.push({ kind: "object", keys: new Set(), path: pathIn(top), key: undefined, index: 0 });
        break;
      case "[":
        stack.push({ kind: "list", keys: NO_KEYS, path: pathIn(top), key: undefined, index: 0 });
        break;
      case "}":
      case "]":
        stack.pop();
        break;
      case ",":
        if (top) [top.key, top.index] = [undefined, top.index + 1];
        break;
      case '"': {
        const end = endOfString(text, at);
        if (top?.kind === "object" && top.key === undefined) noteKey(top, stringAt(text, at, end), found);
        at = end;
        break;
      }
    }
  }
  return found;
}

interface Frame {
  readonly kind: "object" | "list";
  readonly keys: Set<string>;
  readonly path: string;
  /** Of the value that is being read. */
  key: string | undefined;
  index: number;
}

const NO_KEYS: Set<string> = new Set();

function noteKey(frame: Frame, key: string, found: string[]): void {
  if (frame.keys.has(key)) found.push(joined(frame.path, key));
  frame.keys.add(key);
  frame.key = key;
}

function pathIn(frame: Frame | undefined): string {
  if (!frame) return "";
  return frame.kind === "list" ? `${frame.path}[${frame.index}]` : joined(frame.path, frame.key ?? "");
}

function joined(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

function stringAt(text: string, start: number, end: number): string {
  const inside = text.slice(start + 1, end);
  return inside.includes("\\") ? JSON.parse(text.slice(start, end + 1)) : inside;
}

function endOfString(text: string, start: number): number {
  // Nearly all end where the next quote is.
  const quote = text.indexOf('"', start + 1);
  if (quote > 0 && text[quote - 1] !== "\\") return quote;
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}
