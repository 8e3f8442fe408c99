import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "vitest";
import { NODE_FLAGS } from "./node-flags.ts";

test("a program that is started from the sources runs as its first line says", async () => {
  const launch = await readFile("bin/launch", "utf8");
  assert.ok(launch.includes(`exec "$node" ${NODE_FLAGS.join(" ")} `), launch);
});
