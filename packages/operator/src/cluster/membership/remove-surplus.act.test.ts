import assert from "node:assert/strict";
import { systemClock } from "@etcd-operator/kubernetes-client";
import { anObservation, healthy, leader } from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import { type Postponed, postponed } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import { fromHex, toHex } from "../model/hex-id.ts";
import { listedMembers } from "../model/members.ts";
import type { EtcdMember } from "../model/observation.ts";
import { removeSurplus } from "./remove-surplus.act.ts";

const SEEN = {
  ...anObservation({ size: 3, members: [leader("a"), healthy("b"), healthy("c"), healthy("d"), healthy("e")] }),
  askedAtMs: 0,
};
const [D, E] = [
  { name: "d", id: "d" },
  { name: "e", id: "e" },
];

describe("of two members that are too many", () => {
  test("both go while nothing has changed", async () => {
    const { work, names } = at([undefined, undefined]);
    assert.deepEqual(await removeSurplus(work, D, [E]), { kind: "done" });
    assert.deepEqual(names(), ["a", "b", "c"]);
  });

  test("the second stays when the spec is edited while the first is removed", async () => {
    const { work, names } = at([undefined, postponed("EtcdCluster example has changed")]);
    assert.deepEqual(await removeSurplus(work, D, [E]), { kind: "done", spared: 1 });
    assert.deepEqual(names(), ["a", "b", "c", "e"]);
  });

  test("the second is checked again when the spec could not be read while the first was removed", async () => {
    const { work, names } = at([undefined, new Error("no answer"), undefined]);
    assert.deepEqual(await removeSurplus(work, D, [E]), { kind: "done" });
    assert.deepEqual(names(), ["a", "b", "c"]);
  });

  test("neither is removed when the spec was edited before", async () => {
    const change = postponed("EtcdCluster example has changed");
    const { work, names } = at([change]);
    assert.deepEqual(await removeSurplus(work, D, [E]), change);
    assert.deepEqual(names(), ["a", "b", "c", "d", "e"]);
  });
});

/** A cluster of five, with what reading its object comes to, each time that it is read. */
function at(reads: (Postponed | Error | undefined)[]) {
  let members: readonly EtcdMember[] = listedMembers(SEEN);
  const via = {
    removeMember: async (id: bigint) => {
      members = members.filter((member) => member.id !== toHex(id));
      return members.map((member) => ({ ...member, id: fromHex(member.id) }));
    },
  };
  const list = () => ({ kind: "list", members, via, from: "a" });
  const voters = () => members.map(({ name }) => ({ name, isUp: true }));
  const work = {
    seen: SEEN,
    clock: { ...systemClock, monotonic: () => 0 },
    live: {
      clusterHasChanged: async () => {
        assert.ok(reads.length > 0, "the cluster was read one time more than the case tells");
        const read = reads.shift();
        if (read instanceof Error) throw read;
        return read;
      },
      labelled: async () => SEEN.pods.map(({ name, uid }) => ({ metadata: { name, uid } })),
    },
    etcd: {
      members: async () => list(),
      membersAndVoters: async () => ({ ...list(), voters: voters() }),
      change: async (_: string, to: typeof via, ask: (client: typeof via) => Promise<unknown>) => ask(to),
    },
  } as unknown as Work;
  return { work, names: () => members.map(({ name }) => name) };
}
