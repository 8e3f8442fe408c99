import assert from "node:assert/strict";
import { test } from "vitest";
import { expand } from "./expand.ts";

const values = new Map([
  ["NAME", "a"],
  ["EMPTY", ""],
  ["DOLLAR", "$(NAME)"],
]);

test.each([
  ["plain", "plain"],
  ["$(NAME)", "a"],
  ["x-$(NAME)-$(NAME).y", "x-a-a.y"],
  ["$(EMPTY)", ""],
  ["$(MISSING)", "$(MISSING)"],
  ["$$(NAME)", "$(NAME)"],
  ["$$$(NAME)", "$a"],
  ["$$$$(NAME)", "$$(NAME)"],
  ["$NAME", "$NAME"],
  ["$(NAME", "$(NAME"],
  ["costs 5$", "costs 5$"],
  ["$(DOLLAR)", "$(NAME)"],
])("%s becomes %s", (text, expected) => {
  assert.equal(expand(text, values), expected);
});
