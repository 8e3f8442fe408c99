import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { KubernetesError } from "../../../src/kubernetes/kubernetes-error.ts";
import { resources } from "../../../src/kubernetes/resources.ts";
import { ADMIN, apiWorld, clientOf } from "../world/api-world.ts";
import { preparedStore } from "../world/prepared-store.ts";
import { VirtualTime } from "../world/virtual-time.ts";
import { FAULTS, type Fault } from "./fault.ts";
import { faultyAsk } from "./kubernetes-transport.ts";
import { Life } from "./life.ts";
import { Writes } from "./writes.ts";

interface Seen {
  /** What the writer is told. */
  readonly told: string;
  /** Whether the object is there afterwards. */
  readonly isThere: boolean;
  readonly isOver: boolean;
}

const EXPECTED: Readonly<Record<Fault, Seen>> = {
  "crash-before": { told: "unavailable", isThere: false, isOver: true },
  "crash-after": { told: "unavailable", isThere: true, isOver: true },
  conflict: { told: "conflict", isThere: false, isOver: false },
  "too-many": { told: "too-many-requests", isThere: false, isOver: false },
  error: { told: "unavailable", isThere: false, isOver: false },
  "lost-answer": { told: "timeout", isThere: true, isOver: false },
  "lost-request": { told: "timeout", isThere: false, isOver: false },
  twice: { told: "already-exists", isThere: true, isOver: false },
};

describe("the transport under the client of Kubernetes", () => {
  test.each(FAULTS)("does '%s' to the write that it is planned for, and to no other", async (fault) => {
    using time = new VirtualTime();
    const world = await apiWorld(await preparedStore());
    const [writes, life] = [new Writes({ write: 2, fault }), new Life()];
    const client = clientOf(faultyAsk(world.ask, writes, life), ADMIN);
    writes.count();
    const create = (name: string) => client.create(resources.configMaps, { metadata: { name, namespace: "tests" } });
    await create("first");
    const told = create("second").then(() => "done", codeOf);
    await time.pass(120_000);
    const { items } = await world.admin.list(resources.configMaps, { namespace: "tests" });
    const isThere = items.some(({ metadata }) => metadata.name === "second");
    assert.deepEqual({ told: await told, isThere, isOver: life.isOver }, EXPECTED[fault]);
    assert.deepEqual(writes.sent, ["POST configmaps", "POST configmaps"]);
    await world.close();
  });
});

function codeOf(error: unknown): string {
  return error instanceof KubernetesError ? error.code : String(error);
}
