import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Import {
  readonly from: string;
  readonly to: string;
  readonly isTypeOnly: boolean;
}

const STATEMENT = /^\s*(?:import|export)\s+(type\s)?(?:[^"';]*?\sfrom\s+)?["']([^"']+)["']/gm;
const DYNAMIC = /\bimport\(\s*["']([^"']+)["']\s*\)/g;

/** Every import in a source file; paths of our own files are relative to the repository. */
export function importsOf(file: string, source = readFileSync(file, "utf8")): readonly Import[] {
  const named = [...source.matchAll(STATEMENT)].map(([, type, to = ""]) => ({ to, isTypeOnly: Boolean(type) }));
  const dynamic = [...source.matchAll(DYNAMIC)].map(([, to = ""]) => ({ to, isTypeOnly: false }));
  return [...named, ...dynamic].map(({ to, isTypeOnly }) => ({
    from: file,
    to: to.startsWith(".") ? join(dirname(file), to) : to,
    isTypeOnly,
  }));
}

/** The room that a file lies in; undefined for what is not under src/. */
export function roomOf(file: string): string | undefined {
  const [top, room] = file.split("/");
  return top === "src" ? room : undefined;
}
