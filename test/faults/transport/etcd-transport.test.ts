import assert from "node:assert/strict";
import type { EtcdClient } from "@etcd-operator/etcd-client";
import { EtcdError } from "@etcd-operator/etcd-client";
import { describe, test } from "vitest";
import { VirtualTime } from "../world/virtual-time.ts";
import { faultyConnect } from "./etcd-transport.ts";
import { FAULTS, type Fault } from "./fault.ts";
import { Life } from "./life.ts";
import { Writes } from "./writes.ts";

interface Seen {
  /** What the writer gets. */
  readonly told: string;
  /** How often it was done. */
  readonly done: number;
  readonly isOver: boolean;
}

const EXPECTED: Readonly<Record<Fault, Seen>> = {
  "crash-before": { told: "Error: the process has crashed", done: 0, isOver: true },
  "crash-after": { told: "Error: the process has crashed", done: 1, isOver: true },
  conflict: { told: "unhealthy-cluster", done: 0, isOver: false },
  "too-many": { told: "overloaded", done: 0, isOver: false },
  error: { told: "unknown", done: 0, isOver: false },
  "lost-answer": { told: "deadline", done: 1, isOver: false },
  "lost-request": { told: "deadline", done: 0, isOver: false },
  twice: { told: "done", done: 2, isOver: false },
};

describe("the transport under the client of etcd", () => {
  test.each(FAULTS)("does '%s' to the write that it is planned for, and to no other", async (fault) => {
    using time = new VirtualTime();
    const { client, writes, life, removed } = begin({ write: 2, fault });
    await client.removeMember(1n);
    const told = client.removeMember(2n, { timeoutMs: 3_000 }).then(() => "done", codeOf);
    await time.pass(10_000);
    const done = removed.filter((id) => id === 2n).length;
    assert.deepEqual({ told: await told, done, isOver: life.isOver }, EXPECTED[fault]);
    assert.deepEqual(writes.sent, ["removeMember", "removeMember"]);
    assert.equal(removed[0], 1n);
  });

  test("counts no questions", async () => {
    const { client, writes } = begin();
    assert.deepEqual(await client.members(), []);
    assert.deepEqual(writes.sent, []);
  });

  test("carries nothing to or from a process that has crashed", async () => {
    const { client, life, removed } = begin();
    life.crash();
    await assert.rejects(client.removeMember(1n), /has crashed/);
    await assert.rejects(client.members(), /has crashed/);
    assert.deepEqual(removed, []);
  });

  function begin(faultAt?: ConstructorParameters<typeof Writes>[0]) {
    const removed: bigint[] = [];
    const etcd = {
      endpoint: "10.0.0.1:2379",
      members: async () => [],
      removeMember: async (id: bigint) => {
        removed.push(id);
        return [];
      },
    };
    const [writes, life] = [new Writes(faultAt), new Life()];
    writes.count();
    // Of a client only these are asked for.
    const connect = () => etcd as unknown as EtcdClient;
    return { client: faultyConnect(connect, writes, life)({ address: etcd.endpoint }), writes, life, removed };
  }
});

function codeOf(error: unknown): string {
  return error instanceof EtcdError ? error.code : String(error);
}
