import assert from "node:assert/strict";
import { KubernetesError, resources } from "@etcd-operator/kubernetes-client";
import { loopsIn, type SeenWrite } from "@etcd-operator/testing/loops/loops.ts";
import { describe, test } from "vitest";
import { ADMIN, apiWorld, clientOf } from "../world/api-world.ts";
import { preparedStore } from "../world/prepared-store.ts";
import { VirtualTime } from "../world/virtual-time.ts";
import { FAULTS, type Fault } from "./fault.ts";
import { faultyAsk, notedAsk } from "./kubernetes-transport.ts";
import { Life } from "./life.ts";
import { Writes } from "./writes.ts";

interface Seen {
  /** What the writer gets. */
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

describe("what is noted of writes beneath the faults", () => {
  const ref = { name: "one", namespace: "tests" };

  async function noted(act: (client: ReturnType<typeof clientOf>) => Promise<unknown>): Promise<readonly SeenWrite[]> {
    const world = await apiWorld(await preparedStore());
    const written: SeenWrite[] = [];
    // Equal pauses: by the machine's clock they may happen to grow, as those of a client that backs off.
    const ask = notedAsk(
      world.ask,
      (write) => written.push(write),
      () => written.length * 100,
    );
    const client = clientOf(faultyAsk(ask, new Writes(), new Life()), ADMIN);
    await client.create(resources.configMaps, { metadata: ref });
    await act(client);
    await world.close();
    return written;
  }

  test("shows a loop of patches that change nothing, with verb, object and count", async () => {
    const written = await noted(async (client) => {
      for (let count = 0; count < 7; count += 1) await client.patch(resources.configMaps, ref, { merge: {} });
    });
    assert.deepEqual(loopsIn(written), ["a loop: PATCH configmaps one, 7 times within 10 s without progress"]);
  });

  test("shows a loop of refusals", async () => {
    const written = await noted(async (client) => {
      for (let count = 0; count < 7; count += 1)
        await client.create(resources.configMaps, { metadata: ref }).catch(codeOf);
    });
    assert.deepEqual(loopsIn(written), ["a loop: POST configmaps one, 7 times within 10 s without progress"]);
  });

  test("shows none where each patch changes something, and no questions", async () => {
    const written = await noted(async (client) => {
      for (let count = 0; count < 20; count += 1) {
        await client.patch(resources.configMaps, ref, { merge: { data: { count: String(count) } } });
        await client.get(resources.configMaps, ref);
      }
    });
    assert.deepEqual(loopsIn(written), []);
    assert.equal(written.length, 21);
  });
});

function codeOf(error: unknown): string {
  return error instanceof KubernetesError ? error.code : String(error);
}
