import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Import {
  readonly from: string;
  /** Of our own files: the path in the repository. */
  readonly to: string;
  /** As it is written. */
  readonly specifier: string;
  readonly isTypeOnly: boolean;
}

const STATEMENT = /^\s*(?:import|export)\s+(type\s)?(?:[^"';]*?\sfrom\s+)?["']([^"']+)["']/gm;
const DYNAMIC = /\bimport\(\s*["']([^"']+)["']\s*\)/g;
const OURS = /^@etcd-operator\/([\w-]+)(?:\/(.+))?$/;

/** Every import in a source file. */
export function importsOf(file: string, source = readFileSync(file, "utf8")): readonly Import[] {
  const named = [...source.matchAll(STATEMENT)].map(([, type, to = ""]) => ({ to, isTypeOnly: Boolean(type) }));
  const dynamic = [...source.matchAll(DYNAMIC)].map(([, to = ""]) => ({ to, isTypeOnly: false }));
  return [...named, ...dynamic].map(({ to, isTypeOnly }) => ({
    from: file,
    to: placeOf(file, to),
    specifier: to,
    isTypeOnly,
  }));
}

/** As the `exports` of our packages say. */
function placeOf(file: string, specifier: string): string {
  if (specifier.startsWith(".")) return join(dirname(file), specifier);
  const [, pack, path] = OURS.exec(specifier) ?? [];
  if (pack === undefined) return specifier;
  if (path === undefined) return `packages/${pack}/src/index.ts`;
  return existsSync(`packages/${pack}/${path}`) ? `packages/${pack}/${path}` : `packages/${pack}/src/${path}`;
}

/** The package that a file is of; undefined for what is in none. */
export function packageOf(file: string): string | undefined {
  return /^packages\/([\w-]+)\//.exec(file)?.[1];
}

/** The room of the operator that a file lies in; undefined for what lies in none. */
export function roomOf(file: string): string | undefined {
  return /^packages\/operator\/src\/([\w-]+)\//.exec(file)?.[1];
}
