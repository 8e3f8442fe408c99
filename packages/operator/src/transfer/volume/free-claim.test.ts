import { storeErrorOf } from "@etcd-operator/testing/objectstore/contract/content.ts";
import { aVolumeWorld, owner } from "@etcd-operator/testing/transfer/volume-world.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { describe, expect, test } from "vitest";
import { WORKER_LABELS } from "../names.ts";

describe("a claim that one node at a time may mount", () => {
  test("has one worker at a time; the others report what they wait for", async () => {
    const world = await aVolumeWorld();
    const heard: string[] = [];
    const openings = ["a", "b", "c", "d", "e"].map((name) => world.openAs(name, heard));
    const made: string[] = [];
    for (const opening of openings) {
      const pod = await world.workerMade(made);
      made.push(pod.metadata.name);
      expect((await world.workers()).map(({ metadata }) => metadata.name)).toEqual([pod.metadata.name]);
      const opened = await world.run(pod, opening);
      await opened.close();
      await world.gone(pod);
    }
    expect(made.map((name) => name[0])).toEqual(["a", "b", "c", "d", "e"]);
    expect(heard).toContain("e: Waiting for PersistentVolumeClaim 'backups': it is used by another backup or restore");
  });

  test("has none of ours beside that of another process, until that is gone", async () => {
    const world = await aVolumeWorld();
    const left = await world.anyPod("theirs", {
      labels: WORKER_LABELS,
      ownerReferences: [{ ...owner, name: "their" }],
    });
    const heard: string[] = [];
    const opening = world.openAs("nightly", heard);
    await until(() => world.clock.advance(1_000).then(() => heard.length > 2), { what: "it to wait", everyMs: 1 });
    expect(heard).toContain(
      "nightly: Waiting for PersistentVolumeClaim 'backups': pod 'theirs' of EtcdBackup 'their' uses it",
    );
    expect(await world.workers()).toEqual([]);
    await world.gone(left);
    await world.run(await world.workerMade(), opening);
  });

  test("that a pod of others has mounted takes our worker to that pod's node", async () => {
    const world = await aVolumeWorld();
    await world.anyPod("pending", {});
    await world.anyPod("browser", {}, "node-2");
    const opening = world.open();
    const made = await world.workerMade();
    expect(JSON.stringify(made.spec?.affinity)).toContain('"values":["node-2"]');
    await world.run(made, opening);
  });

  test("is not waited for longer than an hour, and what to do is said", async () => {
    const world = await aVolumeWorld();
    await world.anyPod("theirs", { labels: WORKER_LABELS });
    const opening = storeErrorOf(world.open());
    let isOver = false;
    void opening.then(() => {
      isOver = true;
    });
    await until(() => world.clock.advance(60_000).then(() => isOver), { what: "it to be given up", everyMs: 1 });
    expect(await opening).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("a separate PVC"),
    });
    expect(world.clock.pendingMs).toEqual([]);
  });

  test("is left to the next when its worker does not come up", async () => {
    const world = await aVolumeWorld();
    const abort = new AbortController();
    const first = storeErrorOf(world.open(abort.signal));
    const pod = await world.workerMade();
    const second = world.openAs("other", []);
    abort.abort();
    await first;
    await world.gone(pod);
    await world.run(await world.workerMade([pod.metadata.name]), second);
  });
});

test("a claim that many nodes may mount has many workers at the same time", async () => {
  const world = await aVolumeWorld({ accessModes: ["ReadWriteMany"] });
  const first = await world.workerMadeBy(world.openAs("a", []));
  const second = await world.workerMadeBy(world.openAs("b", []), [first.pod.metadata.name]);
  expect(await world.workers()).toHaveLength(2);
  expect(second.pod.spec?.affinity).toBeUndefined();
});
