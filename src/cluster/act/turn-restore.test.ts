import assert from "node:assert/strict";
import { afterAll, beforeAll, test } from "vitest";
import { inRestore } from "../../../test/support/cluster/a-restore.ts";
import { ApiUnderTest, whyPostponed } from "../../../test/support/cluster/act-under-test.ts";
import { resources } from "../../kubernetes/resources.ts";

let api: ApiUnderTest;

beforeAll(async () => {
  api = await ApiUnderTest.start();
});
afterAll(() => api?.stop());

test("the cluster before is not back while a pod of the restored one is there, though no cache shows it", async () => {
  const at = await api.aCluster({}, inRestore("RollingBack"));
  await at.aPod("old");
  const seen = await at.observe();
  await at.aPod("new", { incarnation: 2 });
  const turn = { kind: "turn-restore", to: "RolledBack" } as const;
  assert.match(whyPostponed(await at.act(seen, turn)), /Pod new of the restored cluster is still there/);
  await at.takeAway(resources.pods, "new");
  assert.deepEqual(await at.act(seen, turn), { kind: "done" });
});

test.each(["RollingBack", "Done"] as const)("that it is %s is all in the status", async (to) => {
  const at = await api.aCluster({}, inRestore("Restoring"));
  assert.deepEqual(await at.act(await at.observe(), { kind: "turn-restore", to }), { kind: "done" });
});
