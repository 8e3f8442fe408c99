import { posix } from "node:path";

/** As bundlers write them: `import"./a.mjs"`, `import{x}from"./a.mjs"`, `export{x}from"./a.mjs"`. */
const IMPORTS = /(?:\bimport|\bfrom)\s*"(\.[^"]+)"/g;
const LATER = /\bimport\(\s*"(\.[^"]+)"\s*\)/g;

/**
 * The files of a program that are loaded when it starts: what it imports, and of what it imports later that whose name
 * begins with one of `atOnce`. `read` knows the text of a file.
 */
export function loadedFiles(
  entry: string,
  atOnce: readonly string[],
  read: (file: string) => string,
): readonly string[] {
  const loaded = new Set<string>();
  const load = (file: string) => {
    if (loaded.has(file)) return;
    loaded.add(file);
    const text = read(file);
    const later = named(text, LATER).filter((name) => atOnce.some((each) => posix.basename(name).startsWith(each)));
    for (const name of [...named(text, IMPORTS), ...later]) load(posix.join(posix.dirname(file), name));
  };
  load(entry);
  return [...loaded];
}

function named(text: string, form: RegExp): readonly string[] {
  return [...text.matchAll(form)].map((match) => match[1] ?? "");
}
