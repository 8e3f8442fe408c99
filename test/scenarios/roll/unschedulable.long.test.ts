import assert from "node:assert/strict";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import { clusterScenario } from "../../support/scenario/cluster-scenario.ts";
import type { ClusterUnderTest } from "../../support/scenario/cluster-under-test.ts";
import { etcdOf, podsCarry } from "../../support/scenario/rolled.ts";
import { staysSo } from "../../support/scenario/stays-so.ts";

const scenario = clusterScenario();
const NOWHERE = { nodeSelector: { "example.com/zone": "nowhere" } };
const TOO_MUCH = { resources: { requests: { cpu: "4000" } } };
const MISTAKES = [
  { what: "a node that there is not", pod: NOWHERE },
  { what: "more than any node has", pod: TOO_MUCH },
];
const kinds = MISTAKES.flatMap((mistake) => [true, false].map((claims) => ({ ...mistake, claims })));
const isPending = ({ status }: Pod) => status?.phase === "Pending";
const isAsBefore = (pod: Pod) =>
  pod.spec?.nodeSelector === undefined && etcdOf(pod).resources?.requests?.cpu !== "4000";
const hasNewResources = (pod: Pod) => etcdOf(pod).resources?.requests?.cpu === "15m" && isAsBefore(pod);

/** One pod waits, always the same one, and all others serve on, longer than a member may be gone before it is replaced. */
async function halts(cluster: ClusterUnderTest, serving: number): Promise<void> {
  const isTold = /take the change back; it concerns .*cannot be scheduled/;
  await cluster.becomes(
    "to say what to do",
    ({ status }) => isTold.test(status?.conditions?.find(({ type }) => type === "Degraded")?.message ?? ""),
    60_000,
  );
  const waiting = async () => (await cluster.pods()).filter(isPending).map(({ metadata }) => metadata.uid);
  const first = await waiting();
  assert.equal(first.length, 1);
  await staysSo(
    async () => {
      assert.deepEqual(await waiting(), first);
      assert.equal((await cluster.answers()).length, serving);
    },
    { forMs: 20_000 },
  );
}

describe("an edit of the pods that asks for what there is not stops at one", { timeout: 400_000 }, () => {
  test.each(kinds)("$what: withdrawn, asked for again, and corrected (claims: $claims)", async ({ pod, claims }) => {
    const name = `${"resources" in pod ? "too-much" : "nowhere"}${claims ? "-claims" : ""}`;
    const cluster = await scenario.create(name, { claims, whenDeleted: "Delete", replaceAfterSeconds: 10 });
    await cluster.settled(3);
    const [ids, own] = [await cluster.memberIds(), (await cluster.get()).spec.pod ?? {}];
    const witness = await cluster.witness();
    await cluster.changeSpec({ pod: { ...own, ...pod } });
    await halts(cluster, claims ? 2 : 3);
    await witness.writesAgain();
    const withdrawn = Object.fromEntries(Object.keys(pod).map((key) => [key, null]));
    await cluster.changeSpec({ pod: withdrawn });
    await podsCarry(cluster, { what: "what they had", size: 3, is: isAsBefore });
    assert.deepEqual(await cluster.memberIds(), ids);
    await cluster.changeSpec({ pod: { ...own, ...pod } });
    await halts(cluster, claims ? 2 : 3);
    await cluster.changeSpec({ pod: { ...withdrawn, resources: { requests: { cpu: "15m" } } } });
    await podsCarry(cluster, { what: "what was corrected", size: 3, is: hasNewResources });
    if (claims) assert.deepEqual(await cluster.memberIds(), ids);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });
});
