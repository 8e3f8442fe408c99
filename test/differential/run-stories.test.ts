import assert from "node:assert/strict";
import { test } from "vitest";
import type { Rest } from "../conformance/target.ts";
import { plan } from "./plan.ts";
import { findingsOf, groupsOf, inLines } from "./report.ts";
import { runStories } from "./run-stories.ts";
import { shrunk } from "./shrink.ts";

/** Says the same to everything; CRDs and namespaces are taken. */
function parrot(says: (method: string, path: string) => object): Rest {
  return async (method, path) => {
    const isMade = method === "POST" && /(namespaces|definitions)$/.test(path);
    const body = isMade ? {} : says(method, path);
    return { code: isMade ? 201 : 200, body: body as never, text: JSON.stringify(body), headers: {} };
  };
}

const honest = parrot(() => ({ kind: "Thing" }));

test("two servers that say the same have no differences", async () => {
  const { found, requests } = findingsOf(
    await runStories({ real: { rest: honest }, local: { rest: honest } }, plan(1, 80, "x"), "x"),
  );
  assert.deepEqual(found, []);
  assert.ok(requests >= 80);
});

test("one wrong answer is found, and told with what led to it and how to see it again", async () => {
  const lies = parrot((method) => (method === "PATCH" ? { kind: "Other" } : { kind: "Thing" }));
  const servers = { real: { rest: honest }, local: { rest: lies } };
  const { found } = findingsOf(await runStories(servers, plan(1, 80, "x"), "x"));
  const [group] = groupsOf(found);
  assert.equal(groupsOf(found).length, 1);
  const [first] = group?.findings ?? [];
  assert.ok(first);
  const told = inLines(await shrunk(servers, first), 1).join("\n");
  assert.match(told, /real: {2}Thing\n {4}local: Other/);
  assert.match(told, /request 1: PATCH/);
  assert.match(told, /again: make differences SEED=1 STORY=\d+/);
});
