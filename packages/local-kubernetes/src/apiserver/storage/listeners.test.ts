import assert from "node:assert/strict";
import { test } from "vitest";
import { Listeners } from "./listeners.ts";

function follower(prefix: string) {
  const heard: bigint[] = [];
  return {
    prefix,
    heard,
    changed: ({ revision }: { revision: bigint }) => heard.push(revision),
    lost: () => heard.push(-1n),
  };
}

test("a change is sent to listeners of its namespace, its name or everything, and to no other", () => {
  const listeners = new Listeners("/registry/core/pods/");
  const [all, here, there, one] = [
    "/registry/core/pods/",
    "/registry/core/pods/a/",
    "/registry/core/pods/b/",
    "/registry/core/pods/a/p",
  ].map(follower);
  if (!all || !here || !there || !one) throw new Error("unreachable");
  for (const each of [all, here, there, one]) listeners.add(each);
  listeners.tell("/registry/core/pods/a/p1", { revision: 1n });
  listeners.tell("/registry/core/pods/b/p1", { revision: 2n });
  assert.deepEqual(
    [all, here, there, one].map(({ heard }) => heard),
    [[1n, 2n], [1n], [2n], [1n]],
  );
  listeners.delete(here);
  listeners.tell("/registry/core/pods/a/p1", { revision: 3n });
  assert.deepEqual(here.heard, [1n]);
  listeners.lose();
  listeners.tell("/registry/core/pods/a/p1", { revision: 4n });
  assert.deepEqual(
    [all, here, there, one].map(({ heard }) => heard.at(-1)),
    [-1n, 1n, -1n, -1n],
  );
});
