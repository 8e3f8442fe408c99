import assert from "node:assert/strict";
import { test } from "vitest";
import { loadedFiles } from "./loaded-files.ts";

const files: Readonly<Record<string, string>> = {
  "dist/main.mjs": 'import{run}from"./chunks/run.mjs";import"./chunks/side.mjs";import{a}from"node:fs";run();',
  "dist/chunks/run.mjs": 'export{x}from"./side.mjs";await import("./work-1.mjs");await import("./rare-2.mjs");',
  "dist/chunks/side.mjs": 'import"../main.mjs";let text="from nowhere";',
  "dist/chunks/work-1.mjs": "1",
};

test("a program loads what it imports, once, and what it says it will load at once", () => {
  const loaded = loadedFiles("dist/main.mjs", ["work-"], (file) => files[file] ?? assert.fail(`${file} is not loaded`));
  assert.deepEqual(loaded.toSorted(), Object.keys(files).toSorted());
});
