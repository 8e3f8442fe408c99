import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { ObjectStoreError } from "../../../src/objectstore/object-store-error.ts";
import { MemoryStore } from "../../support/objectstore/memory-store.ts";
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

const EXPECTED: Readonly<Record<Fault, Seen>> = {
  "crash-before": { told: "Error: the process has crashed", isThere: false, isOver: true },
  "crash-after": { told: "Error: the process has crashed", isThere: true, isOver: true },
  conflict: { told: "unavailable", isThere: false, isOver: false },
  "too-many": { told: "unavailable", isThere: false, isOver: false },
  error: { told: "unavailable", isThere: false, isOver: false },
  "lost-answer": { told: "unavailable", isThere: true, isOver: false },
  "lost-request": { told: "unavailable", isThere: false, isOver: false },
  twice: { told: "done", isThere: true, isOver: false },
};

describe("the transport under a store of backups", () => {
  test.each(FAULTS)("does '%s' to the write that it is planned for, and to no other", async (fault) => {
    using time = new VirtualTime();
    const memory = new MemoryStore();
    const [writes, life] = [new Writes({ write: 2, fault }), new Life()];
    const store = faultyStore(memory, writes, life);
    writes.count();
    await store.put("first", bytes());
    const told = store.put("second", bytes()).then(() => "done", codeOf);
    await time.pass(60_000);
    const isThere = memory.objects.has("second");
    assert.deepEqual({ told: await told, isThere, isOver: life.isOver }, EXPECTED[fault]);
    assert.deepEqual([...memory.objects.keys()], isThere ? ["first", "second"] : ["first"]);
    assert.deepEqual(writes.sent, ["store put", "store put"]);
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

function codeOf(error: unknown): string {
  return error instanceof ObjectStoreError ? error.code : String(error);
}
