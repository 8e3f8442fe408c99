import assert from "node:assert/strict";
import { test } from "vitest";
import { splitMessages } from "./split-messages.ts";

test("messages are found however TCP cut them", () => {
  const bytes = Buffer.from([0, 2, 10, 11, 0, 0, 0, 1, 12, 0, 3, 13]);
  const { messages, rest } = splitMessages(bytes);
  assert.deepEqual(messages, [Buffer.from([10, 11]), Buffer.from([]), Buffer.from([12])]);
  assert.deepEqual(splitMessages(Buffer.concat([rest, Buffer.from([14, 15])])).messages, [Buffer.from([13, 14, 15])]);
});
