import type { Declare } from "./declare.ts";
import { CelFailure } from "./failure.ts";

/** String functions that the CEL library lacks. */
export function registerStrings(declare: Declare): void {
  declare("string.charAt(int): string", charAt);
  declare("string.replace(string, string): string", (text: string, from: string, to: string) =>
    text.replaceAll(from, () => to),
  );
  declare("string.replace(string, string, int): string", replace);
  declare("string.reverse(): string", (text: string) => [...text].reverse().join(""));
  declare("string.format(list): string", format);
  // Spelt otherwise because the library's own, which change other letters too, cannot be replaced; see expression.ts.
  declare("string.lOwerAscii(): string", (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()));
  declare("string.uPperAscii(): string", (text: string) => text.replace(/[a-z]/g, (letter) => letter.toUpperCase()));
}

function charAt(text: string, index: bigint): string {
  const characters = [...text];
  if (index < 0n || index > BigInt(characters.length)) throw new CelFailure(`index out of range: ${index}`);
  return characters[Number(index)] ?? "";
}

function replace(text: string, from: string, to: string, times: bigint): string {
  if (times < 0n) return text.replaceAll(from, () => to);
  const parts = text.split(from);
  const replaced = parts.slice(0, Number(times) + 1).join(to);
  return [replaced, ...parts.slice(Number(times) + 1)].join(from);
}

function format(pattern: string, values: readonly unknown[]): string {
  let next = 0;
  return pattern.replace(/%(?:%|(?:\.(\d+))?([sdf]))/g, (all, digits: string | undefined, verb: string | undefined) => {
    if (verb === undefined) return "%";
    if (next >= values.length) throw new CelFailure(`index ${next} out of range`);
    const value = values[next++];
    if (verb === "f") return Number(value).toFixed(digits === undefined ? 6 : Number(digits));
    return all === "" ? "" : shown(value);
  });
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shown).join(", ")}]`;
  if (value instanceof Map) return `{${[...value].map(([key, each]) => `${shown(key)}: ${shown(each)}`).join(", ")}}`;
  return value instanceof Date ? value.toISOString().replace(/\.?0*Z$/, "Z") : String(value);
}
