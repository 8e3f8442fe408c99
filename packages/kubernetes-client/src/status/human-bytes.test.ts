import assert from "node:assert/strict";
import { test } from "vitest";
import { humanBytes } from "./human-bytes.ts";

test.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [20_480, "20 KiB"],
  [1_572_864, "1.5 MiB"],
  [10_737_418_240, "10 GiB"],
  [1_288_490_189, "1.2 GiB"],
])("%i bytes are shown as %s", (bytes, shown) => assert.equal(humanBytes(bytes), shown));
