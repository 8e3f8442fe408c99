import assert from "node:assert/strict";
import { test } from "vitest";
import type { Outcome } from "../controller/outcome.ts";
import type { Pass } from "../controller/pass.ts";
import { lettingGoAtRest } from "./let-go-at-rest.ts";

const outcomes: Record<string, Outcome> = {
  resting: { kind: "rest", atMostMs: 60_000 },
  waiting: { kind: "wait", for: "a pod" },
  retrying: { kind: "retry", afterMs: 0, why: "a member was added" },
  done: { kind: "done" },
};

test("only a cluster at rest gives up its connections: elsewhere the next look comes soon", async () => {
  const letGo: string[] = [];
  const reconcile = lettingGoAtRest(
    async (key) => outcomes[key] ?? { kind: "done" },
    (key) => letGo.push(key),
  );
  for (const [key, outcome] of Object.entries(outcomes)) {
    assert.deepEqual(await reconcile(key, new AbortController().signal, {} as Pass), outcome);
  }
  assert.deepEqual(letGo, ["resting"]);
});
