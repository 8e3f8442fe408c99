import assert from "node:assert/strict";
import type { ContainerStatus, Pod } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import { ANNOTATIONS } from "../objects/annotations.ts";
import { awaitsNewImage, containerToReplace, isEtcdRunning } from "./etcd-container.ts";

type State = NonNullable<ContainerStatus["state"]>;

const RUNNING: State = { running: { startedAt: "2030-01-01T00:00:00Z" } };

/** A pod whose etcd should run an image, in a container that the kubelet reports. */
function aPod(image: string, containerID: string | undefined, note?: string | null, state: State = RUNNING): Pod {
  const id = containerID === undefined ? {} : { containerID };
  const facts = { name: "etcd", image: "as-the-runtime-spells-it", imageID: "", ready: true, restartCount: 0, state };
  return {
    metadata: { annotations: note ? { [ANNOTATIONS.replacedContainer]: note } : {} },
    spec: { containers: [{ name: "sidecar" }, { name: "etcd", image }] },
    status: {
      containerStatuses: [
        { ...facts, name: "sidecar", containerID: "other" },
        { ...facts, ...id },
      ],
    },
  };
}

/** The pod after it was given another image. */
function given(image: string, before: Pod, containerID = before.status?.containerStatuses?.[1]?.containerID): Pod {
  return aPod(image, containerID, containerToReplace(before));
}

describe("a pod that was given another image", () => {
  const before = aPod("etcd:a", "c1");

  test("awaits it until there is another container", () => {
    assert.equal(awaitsNewImage(before), false);
    assert.equal(awaitsNewImage(given("etcd:b", before)), true);
    assert.equal(awaitsNewImage(given("etcd:b", before, "c2")), false);
  });

  test("awaits nothing when it was reverted before the kubelet saw it", () => {
    const back = given("etcd:a", given("etcd:b", before));
    assert.equal(awaitsNewImage(back), false);
    assert.equal(awaitsNewImage(given("etcd:c", given("etcd:b", before))), true);
  });

  test("awaits it when it was reverted too late", () => {
    const late = given("etcd:a", given("etcd:b", before, "c2"));
    assert.equal(awaitsNewImage(late), true);
    assert.equal(awaitsNewImage(given("etcd:a", given("etcd:b", before, "c2"), "c3")), false);
  });

  test("awaits it also while it cannot be pulled, and what ran has ended", () => {
    const note = containerToReplace(before);
    const waiting = aPod("etcd:b", "c1", note, { waiting: { reason: "ErrImagePull" } });
    assert.deepEqual([awaitsNewImage(waiting), isEtcdRunning(waiting)], [true, false]);
  });

  test("has nothing to replace before the first start", () => {
    assert.equal(containerToReplace(aPod("etcd:a", undefined)), null);
    assert.equal(containerToReplace({ spec: { containers: [] } }), null);
  });

  test("awaits nothing by a note that cannot be read", () => {
    for (const note of ["", "c1", " etcd:b", "c2 etcd:b"])
      assert.equal(awaitsNewImage(aPod("etcd:a", "c1", note)), false);
  });
});

test("etcd runs when its own container does", () => {
  assert.equal(isEtcdRunning(aPod("etcd:a", "c1")), true);
  assert.equal(isEtcdRunning(aPod("etcd:a", "c1", null, { terminated: { exitCode: 1 } })), false);
  assert.equal(isEtcdRunning({}), false);
});
