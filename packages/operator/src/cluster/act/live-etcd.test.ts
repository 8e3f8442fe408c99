import assert from "node:assert/strict";
import type { EtcdClient } from "@etcd-operator/etcd-client";
import { EtcdError } from "@etcd-operator/etcd-client";
import { anObservation, healthy, leader } from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import { fromHex } from "../model/hex-id.ts";
import type { Observation } from "../model/observation.ts";
import { LiveEtcd } from "./live-etcd.ts";
import type { LiveReads } from "./live-reads.ts";
import type { MemberClients } from "./member-clients.ts";

const SEEN = anObservation({ members: [leader("a"), healthy("b"), healthy("c")] });

describe("the members that are asked before members are changed", () => {
  test("are the voters that were seen, once, while the list is what it was", async () => {
    const { live, asked } = etcd(SEEN, ["a", "b", "c"]);
    const found = await live.membersAndVoters();
    assert.ok(found.kind === "list");
    assert.deepEqual(upIn(found.voters), { a: true, b: true, c: true });
    assert.deepEqual(asked.sort(), ["a", "b", "c"]);
  });

  test("are those of the new list where it has changed: added members count, and removed ones do not", async () => {
    const { live } = etcd(SEEN, ["a", "b", "d"]);
    const found = await live.membersAndVoters();
    assert.ok(found.kind === "list");
    assert.deepEqual(upIn(found.voters), { a: true, b: true, d: false });
  });

  test("is never one that we have removed ourselves", async () => {
    const { live, asked } = etcd(SEEN, ["a", "b"]);
    const found = await live.membersAndVoters("b", ["c"]);
    assert.ok(found.kind === "list");
    assert.deepEqual(upIn(found.voters), { a: true, b: true });
    assert.deepEqual(asked.sort(), ["a", "b"]);
  });

  test("include as down one that does not answer, or whose pod is terminating", async () => {
    const { live } = etcd(SEEN, ["a", "b", "c"], { silent: "b", leaving: "c" });
    const found = await live.membersAndVoters();
    assert.ok(found.kind === "list");
    assert.deepEqual(upIn(found.voters), { a: true, b: false, c: false });
  });
});

/** Members whose ids are their names, and which of them were asked for their status. */
function etcd(
  seen: Observation,
  names: readonly string[],
  { silent, leaving }: { silent?: string; leaving?: string } = {},
) {
  const asked: string[] = [];
  const clientOf = async (_: Observation, name: string) => {
    const answer = async <T>(value: T): Promise<T> => {
      if (name !== silent) return value;
      throw new EtcdError("unavailable", { operation: "asking", endpoint: name, reason: "silent" });
    };
    return {
      members: () => answer(names.map((each) => ({ id: idOf(each), name: each, peerUrls: [], isLearner: false }))),
      status: () => {
        asked.push(name);
        return answer({ clusterId: clusterId(seen), memberId: idOf(name), version: "3.5.30" });
      },
      range: () => answer({}),
      health: () => answer({ health: "healthy" }),
    } as unknown as EtcdClient;
  };
  const gone = { metadata: { name: leaving, deletionTimestamp: "2030-01-01T00:00:00Z" } };
  const reads = { labelled: async () => (leaving ? [gone] : []) } as unknown as LiveReads;
  const clients: MemberClients = { clientOf };
  return { live: new LiveEtcd(seen, clients, () => undefined, reads, new AbortController().signal), asked };
}

function idOf(name: string): bigint {
  return fromHex(name);
}

function clusterId({ cluster }: Observation): bigint {
  return fromHex(cluster.status?.clusterID ?? "");
}

function upIn(voters: readonly { readonly name: string; readonly isUp: boolean }[]): Readonly<Record<string, boolean>> {
  return Object.fromEntries(voters.map(({ name, isUp }) => [name, isUp]));
}
