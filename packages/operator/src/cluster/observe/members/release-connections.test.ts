import assert from "node:assert/strict";
import type { Outcome, Pass } from "@etcd-operator/controller-runtime";
import { test } from "vitest";
import { releasingConnections } from "./release-connections.ts";

const outcomes: Record<string, Outcome> = {
  resting: { kind: "rest" },
  waiting: { kind: "wait", for: "a pod" },
  retrying: { kind: "retry", afterMs: 0, why: "a member was added" },
  done: { kind: "done" },
};

async function givenUpAmong(clusters: number): Promise<readonly string[]> {
  const givenUp: string[] = [];
  const reconcile = releasingConnections(async (key) => outcomes[key] ?? { kind: "done" }, {
    clusters: () => clusters,
    release: (key) => givenUp.push(key),
  });
  for (const [key, outcome] of Object.entries(outcomes)) {
    assert.deepEqual(await reconcile(key, new AbortController().signal, {} as Pass), outcome);
  }
  return givenUp;
}

test("only an idle cluster closes its connections: elsewhere the next reconcile comes soon", async () => {
  assert.deepEqual(await givenUpAmong(1_000), ["resting"]);
});

test("where there are few clusters, none does", async () => {
  assert.deepEqual(await givenUpAmong(10), []);
});
