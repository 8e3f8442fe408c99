import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "vitest";
import { NODE_FLAGS } from "./node-flags.ts";

test("who starts a program from the sources runs it as its first line says", async () => {
  const launch = await readFile("bin/launch", "utf8");
  assert.ok(launch.includes(`exec "$node" ${NODE_FLAGS.join(" ")} `), launch);
});
