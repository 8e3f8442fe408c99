import assert from "node:assert/strict";
import { ObjectStoreError } from "@etcd-operator/object-store";
import { MemoryStore } from "@etcd-operator/testing/objectstore/memory-store.ts";
import { describe, test } from "vitest";
import { VirtualTime } from "../world/virtual-time.ts";
import { FAULTS, type Fault } from "./fault.ts";
import { Life } from "./life.ts";
import { faultyStore } from "./store-transport.ts";
import { Writes } from "./writes.ts";

interface Seen {
  readonly told: string;
  readonly isThere: boolean;
  readonly isOver: boolean;
}

const CRASHED = "Error: the process has crashed";

const EXPECTED: Readonly<Record<Fault, Seen>> = {
  "crash-before": { told: CRASHED, isThere: false, isOver: true },
  "crash-after": { told: CRASHED, isThere: true, isOver: true },
  conflict: { told: "corrupt at 0 ms", isThere: false, isOver: false },
  "too-many": { told: "done at 200 ms", isThere: true, isOver: false },
  error: { told: "unavailable at 3000 ms", isThere: false, isOver: false },
  "lost-answer": { told: "unavailable at 30000 ms", isThere: true, isOver: false },
  "lost-request": { told: "unavailable at 30000 ms", isThere: false, isOver: false },
  twice: { told: "done at 0 ms", isThere: true, isOver: false },
};

describe("the transport under a store of backups", () => {
  test.each(FAULTS)("does '%s' to the write that it is planned for, and to no other", async (fault) => {
    using time = new VirtualTime();
    const memory = new MemoryStore();
    const [writes, life] = [new Writes({ write: 2, fault }), new Life()];
    const store = faultyStore(memory, writes, life);
    writes.count();
    await store.put("first", bytes());
    const told = store.put("second", bytes()).then(() => at(time, "done"), codeOf(time));
    await time.pass(60_000);
    const isThere = memory.objects.has("second");
    assert.deepEqual({ told: await told, isThere, isOver: life.isOver }, EXPECTED[fault]);
    assert.deepEqual([...memory.objects.keys()], isThere ? ["first", "second"] : ["first"]);
    assert.deepEqual(writes.sent, ["store put", "store put"]);
  });

  test.each([
    ["conflict", "unavailable at 3000 ms", true],
    ["too-many", "done at 200 ms", false],
    ["error", "unavailable at 3000 ms", true],
  ] as const)(
    "refuses a deletion with '%s' as a bucket would, which knows no condition of it",
    async (fault, said, isLeft) => {
      using time = new VirtualTime();
      const memory = new MemoryStore();
      const writes = new Writes({ write: 2, fault });
      const store = faultyStore(memory, writes, new Life());
      writes.count();
      await store.put("one", bytes());
      const told = store.delete("one").then(() => at(time, "done"), codeOf(time));
      await time.pass(60_000);
      assert.deepEqual({ told: await told, isLeft: memory.objects.has("one") }, { told: said, isLeft });
    },
  );

  test("a process that crashes before a client asks again has not asked again", async () => {
    using time = new VirtualTime();
    const memory = new MemoryStore();
    const [writes, life] = [new Writes({ write: 1, fault: "too-many" }), new Life()];
    writes.count();
    const told = faultyStore(memory, writes, life).put("one", bytes()).catch(String);
    life.crash();
    await time.pass(60_000);
    assert.deepEqual([await told, memory.objects.size], [CRASHED, 0]);
  });

  test("counts what is put and deleted, and no questions", async () => {
    const writes = new Writes();
    const store = faultyStore(new MemoryStore(), writes, new Life());
    writes.count();
    await store.put("one", bytes());
    await store.stat("one");
    for await (const _ of store.list("")) assert.ok(_);
    await store.delete("one");
    assert.deepEqual(writes.sent, ["store put", "store delete"]);
  });
});

async function* bytes(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("content");
}

function at({ elapsedMs }: VirtualTime, what: string): string {
  return `${what} at ${elapsedMs} ms`;
}

function codeOf(time: VirtualTime): (error: unknown) => string {
  return (error) => (error instanceof ObjectStoreError ? at(time, error.code) : String(error));
}
