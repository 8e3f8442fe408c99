import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { aMemberPod } from "@etcd-operator/testing/cluster/a-member-pod.ts";
import { inRestore } from "@etcd-operator/testing/cluster/a-restore.ts";
import { A_CLAIM, anEtcdCluster } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import type { ContainerState, PersistentVolumeClaim, Pod, PodStatus } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";
import { claim } from "../objects/claim.ts";
import { fenceNote, mayRunEtcd, withSetAside } from "./set-aside-seen.ts";

const OURS = "example.com/etcd-operator:v1";
const spec = { pod: { persistentVolumeClaimSpec: A_CLAIM } };

function aCluster(status = inRestore("Fencing")): Stored<EtcdCluster> {
  return { ...anEtcdCluster(spec), status } as unknown as Stored<EtcdCluster>;
}

function aClaim(member: string, incarnation: number): Stored<PersistentVolumeClaim> {
  const made = claim(anEtcdCluster(spec), member, incarnation);
  return { ...made, metadata: { ...made?.metadata, name: member, uid: member } } as Stored<PersistentVolumeClaim>;
}

/** Incarnation 2 is the restored one. */
function aPod(member: string, incarnation: string | undefined, more: Record<string, string> = {}): Stored<Pod> {
  const annotations = { ...(incarnation && { [ANNOTATIONS.incarnation]: incarnation }), ...more };
  return aMemberPod(anEtcdCluster(), { member, metadata: { annotations } });
}

describe("while a restore is under way", () => {
  test("what belongs to the incarnations before it is in a list of its own", () => {
    const pods = [aPod("old", "1"), aPod("older", undefined), aPod("new", "2")];
    const claims = [aClaim("old", 1), aClaim("new", 2)];
    const { current, setAside } = withSetAside(aCluster(), pods, claims);
    assert.deepEqual(
      current.pods.map(({ metadata }) => metadata.name),
      ["new"],
    );
    assert.deepEqual(
      current.claims.map(({ name }) => name),
      ["new"],
    );
    assert.deepEqual(
      setAside.pods.map(({ name }) => name),
      ["old", "older"],
    );
    assert.deepEqual(
      setAside.claims.map(({ name }) => name),
      ["old"],
    );
  });

  test("a pod that is set aside is not asked, and shows whether it may run", () => {
    const [pod] = withSetAside(aCluster(), [aPod("old", "1")], []).setAside.pods;
    assert.deepEqual([pod?.name, pod?.answer.health, pod?.mayRun], ["old", "unknown", true]);
  });
});

test.each(["Done", "RolledBack"] as const)("nothing is set aside when a restore is %s", (state) => {
  const { current, setAside } = withSetAside(aCluster(inRestore(state)), [aPod("old", "1")], [aClaim("old", 1)]);
  assert.deepEqual([current.pods.length, current.claims.length], [1, 1]);
  assert.deepEqual(setAside, { pods: [], claims: [] });
});

describe("a process of etcd in a pod that was stopped", () => {
  const INITIALIZED = { type: "Initialized", status: "True" };

  const ETCD = { image: "docker.io/library/etcd:v1", imageID: "sha256:e7cd" };
  const NEW = { image: OURS, imageID: "sha256:0a5" };

  /** It had the container "c1" when it was stopped. */
  function stopped(
    container: { id?: string; state?: ContainerState; image?: string; imageID?: string },
    status: PodStatus = { conditions: [INITIALIZED] },
    note = `etcd:v1 c1 ${ETCD.imageID} ${ETCD.image}`,
  ): Stored<Pod> {
    const pod = aPod("old", "1", { [ANNOTATIONS.fenced]: note });
    const { id = "c1", state = {}, image = ETCD.image, imageID = ETCD.imageID } = container;
    const facts = { name: "etcd", image, imageID, ready: false, restartCount: 0 };
    const containerStatuses = [{ ...facts, state, ...(id && { containerID: id }) }];
    const containers = (pod.spec?.containers ?? []).map((each) => ({ ...each, image: OURS }));
    return { ...pod, spec: { ...pod.spec, containers }, status: { phase: "Running", containerStatuses, ...status } };
  }

  /** It had no container when it was stopped; the guard's is made from `NEW`. */
  function guarded(guardImage: string, imageID: string, image: string, guardId = NEW.imageID): Stored<Pod> {
    const { spec, ...pod } = stopped({ id: "c1", state: crashed, image, imageID }, undefined, "etcd:v1");
    assert.ok(spec);
    const initContainers = (spec.initContainers ?? []).map((each) => ({ ...each, image: guardImage }));
    const guard = { name: "guard", image: "sha256:tag", imageID: guardId, ready: true, restartCount: 0 };
    return { ...pod, spec: { ...spec, initContainers }, status: { ...pod.status, initContainerStatuses: [guard] } };
  }

  /** The new image is named by its digest. */
  function pinned(digest: string, note: string): Stored<Pod> {
    const imageID = `mirror.example.com/etcd-operator@sha256:${digest}`;
    const { spec, ...pod } = stopped({ id: "c1", state: crashed, image: "sha256:tag", imageID }, undefined, note);
    assert.ok(spec);
    const containers = spec.containers.map((each) => ({ ...each, image: "example.com/etcd-operator@sha256:0a5" }));
    return { ...pod, spec: { ...spec, containers } };
  }

  const crashed = { waiting: { reason: "CrashLoopBackOff" } };
  const pulling = { waiting: { reason: "ImagePullBackOff", message: `Back-off pulling image "${OURS}"` } };
  const notInitialized = { conditions: [{ ...INITIALIZED, status: "False" }] };

  test.each<[string, Stored<Pod>, boolean]>([
    ["runs while the kubelet says so", stopped({ state: { running: {} } }), true],
    [
      "runs also in another container, made before the kubelet knew",
      stopped({ id: "c2", state: { running: {} } }),
      true,
    ],
    ["may be started again from what a silent kubelet knows", stopped({ state: crashed }), true],
    ["may be started while its container is being made", stopped({ id: "" }), true],
    ["is gone when the kubelet has replaced its container", stopped({ id: "c2", state: crashed, ...NEW }), false],
    [
      "is gone also where the runtime calls the new image by its id",
      stopped({ id: "c2", state: crashed, image: NEW.imageID, imageID: NEW.imageID }),
      false,
    ],
    [
      "may be started again by a kubelet that lags behind, and has already done so",
      stopped({ id: "c2", state: crashed }),
      true,
    ],
    [
      "may be started again also from an image whose tag has moved meanwhile",
      stopped({ id: "c2", state: crashed, imageID: "sha256:moved" }),
      true,
    ],
    [
      "may be started again also from an image that has two names",
      stopped({ id: "c2", state: crashed, image: ETCD.imageID }),
      true,
    ],
    [
      "may be started again where there was no container, and one of the old image came",
      stopped({ id: "c1", state: crashed }, undefined, "etcd:v1"),
      true,
    ],
    [
      "is gone where there was no container, and one of the new image came",
      stopped({ id: "c1", state: crashed, ...NEW }, undefined, "etcd:v1"),
      false,
    ],
    [
      "is gone where there was no container, and one of the image came that the guard has, whatever the runtime calls it",
      guarded(OURS, NEW.imageID, "sha256:tag"),
      false,
    ],
    [
      "may be started again where there was no container, and the guard is of another image than the new one",
      guarded("example.com/etcd-operator:v0", NEW.imageID, "sha256:tag"),
      true,
    ],
    [
      "may be started again where there was no container, and what came is not what the guard has",
      guarded(OURS, ETCD.imageID, ETCD.image),
      true,
    ],
    [
      "is gone where there was no container, and one came of the digest that is wanted",
      pinned("0a5", "etcd:v1"),
      false,
    ],
    ["may be started again where one of another digest came", pinned("e7cd", "etcd:v1"), true],
    ["may be started again where the image is unknown", guarded(OURS, "", "sha256:tag", ""), true],
    ["is gone when the kubelet waits for the image without it", stopped({ state: pulling }), false],
    ["has not been started while the init containers are not through", stopped({ id: "" }, notInitialized), false],
    ["is gone when the pod has ended", stopped({ state: { terminated: { exitCode: 0 } } }, { phase: "Failed" }), false],
  ])("%s", (_, pod, mayRun) => {
    assert.equal(mayRunEtcd(pod), mayRun);
  });

  describe("whose image admission changes when it is stopped", () => {
    const NOTE = `etcd:v1 c1 ${ETCD.imageID} ${ETCD.image} ${OURS}`;
    const MIRRORED = "mirror.example/example.com/etcd-operator@sha256:0a5";
    const PINNED = "mirror.example/etcd@sha256:e7cd";

    /**
     * With `image` where the operator asked for `OURS`; of the container that there is, nothing is known but its image.
     */
    function told(image: string, state: ContainerState, made: { image: string; imageID: string }, guardImage = OURS) {
      const { spec, ...pod } = stopped({ id: "c2", state, ...made }, undefined, NOTE);
      assert.ok(spec);
      const initContainers = (spec.initContainers ?? []).map((each) => ({ ...each, image: guardImage }));
      const containers = spec.containers.map((each) => ({ ...each, image }));
      return { ...pod, spec: { ...spec, initContainers, containers } };
    }

    const ofMirror = { image: MIRRORED, imageID: "mirror.example/etcd-operator@sha256:0a5" };
    const ofPinned = { image: PINNED, imageID: "mirror.example/etcd@sha256:e7cd" };
    const waiting = { waiting: { reason: "ImagePullBackOff", message: `Back-off pulling image "${PINNED}"` } };

    test.each<[string, Stored<Pod>, boolean]>([
      ["is gone where a mirror has the image without it", told(MIRRORED, crashed, ofMirror), false],
      [
        "is gone where the guard has the same image",
        told("cache.example/x:1", crashed, { image: "cache.example/x:1", imageID: "i" }, "cache.example/x:1"),
        false,
      ],
      ["may be started where admission puts etcd back", told("etcd:v1", crashed, NEW), true],
      [
        "may be started from another image of etcd, though its container is another one",
        told(PINNED, crashed, ofPinned),
        true,
      ],
      ["may be started as soon as that image has been pulled", told(PINNED, waiting, ofPinned), true],
      [
        "may be started from an image of which nothing is known",
        told("cache.example/y:1", crashed, { image: "cache.example/y:1", imageID: "i" }),
        true,
      ],
      ["runs in the image without it as long as the kubelet says so", told(MIRRORED, { running: {} }, ofMirror), true],
    ])("%s", (_, pod, mayRun) => {
      assert.equal(mayRunEtcd(pod), mayRun);
    });

    test("may be started while init containers run, where admission puts etcd back", () => {
      const pod = told("etcd:v1", crashed, ETCD);
      assert.equal(mayRunEtcd({ ...pod, status: { phase: "Pending", ...notInitialized } }), true);
      const ours = told(OURS, crashed, ETCD);
      assert.equal(mayRunEtcd({ ...ours, status: { phase: "Pending", ...notInitialized } }), false);
    });
  });

  test("may run anyway in one that was not stopped, unless it has ended", () => {
    assert.equal(mayRunEtcd({ ...aPod("old", "1"), status: { phase: "Pending" } }), true);
    assert.equal(mayRunEtcd({ ...aPod("old", "1"), status: { phase: "Succeeded" } }), false);
  });
});

test("what is written on a pod that is stopped names its image, and its container and what that is made from where it has one", () => {
  const pod = aPod("old", "1");
  assert.equal(fenceNote(pod, OURS), `quay.io/coreos/etcd:v3.5.30    ${OURS}`);
  const container = {
    name: "etcd",
    image: "quay.io/coreos/etcd@sha256:e7cd",
    imageID: "sha256:e7cd",
    ready: true,
    restartCount: 0,
    containerID: "containerd://1",
  };
  assert.equal(
    fenceNote({ ...pod, status: { containerStatuses: [container] } }, OURS),
    `quay.io/coreos/etcd:v3.5.30 containerd://1 sha256:e7cd quay.io/coreos/etcd@sha256:e7cd ${OURS}`,
  );
});
