import assert from "node:assert/strict";
import { startProgress } from "@etcd-operator/kubernetes-client";
import type { ContainerState, ContainerStatus, PodStatus } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import { ANNOTATIONS } from "../objects/annotations.ts";
import { podTrouble } from "./pod-trouble.ts";

describe("what troubles a pod", () => {
  test("nothing, while it starts", () => {
    for (const reason of ["PodInitializing", "ContainerCreating"]) {
      const status = { initContainerStatuses: [guard({ terminated: { exitCode: 0 } })] };
      assert.equal(
        podTrouble({ status: { ...status, containerStatuses: [etcd({ waiting: { reason } })] } }),
        undefined,
      );
    }
    assert.equal(podTrouble({}), undefined);
    assert.equal(podTrouble({ status: { initContainerStatuses: [guard({ running: {} })] } }), undefined);
  });

  test("a start that takes long is no trouble, and its progress is reported", () => {
    const message = 'Pulling image "etcd:v3.5.30": etcd 3.5.30: getting it (built with Go), for 30 s so far';
    const status = { containerStatuses: [etcd({ waiting: { reason: "ContainerCreating", message } })] };
    assert.deepEqual([podTrouble({ status }), startProgress({ status })], [undefined, message]);
    const stuck = { containerStatuses: [etcd({ waiting: { reason: "ErrImagePull", message } })] };
    assert.deepEqual([startProgress({ status: stuck }), startProgress({})], [undefined, undefined]);
  });

  test("nothing, once it was deleted", () => {
    const metadata = { deletionTimestamp: "2030-01-01T00:00:00Z" };
    const status = { containerStatuses: [etcd({ terminated: { exitCode: 0 } })] };
    assert.equal(podTrouble({ metadata, status }), undefined);
  });

  test("nothing, while its container is replaced because it got another image", () => {
    const ended: ContainerState = { terminated: { exitCode: 2, containerID: "c1" } };
    const metadata = { annotations: { [ANNOTATIONS.replacedContainer]: "c1 etcd:a" } };
    const troubleOf = (container: ContainerStatus) =>
      podTrouble({ metadata, status: { containerStatuses: [container] } });
    assert.equal(troubleOf(etcd(ended)), undefined);
    assert.equal(troubleOf(etcd({ running: {} }, ended)), undefined);
    const again: ContainerState = { terminated: { exitCode: 2, containerID: "c2" } };
    assert.match(troubleOf(etcd({ running: {} }, again)) ?? "", /was started again after it ended with exit code 2/);
  });

  const cases: [what: string, status: PodStatus, trouble: string][] = [
    [
      "the scheduler finds no place",
      {
        conditions: [
          {
            type: "PodScheduled",
            status: "False",
            reason: "Unschedulable",
            message: "0/3 nodes are available: \n3 full.",
          },
        ],
      },
      "it cannot be scheduled: Unschedulable: 0/3 nodes are available: 3 full.",
    ],
    [
      "it was evicted",
      { phase: "Failed", reason: "Evicted", message: "The node was low on resource: memory." },
      "it ended: Evicted: The node was low on resource: memory.",
    ],
    [
      "the image cannot be pulled",
      { containerStatuses: [etcd({ waiting: { reason: "ImagePullBackOff", message: 'Back-off pulling image "x"' } })] },
      'container etcd cannot start: ImagePullBackOff: Back-off pulling image "x"',
    ],
    [
      "a Secret is missing",
      {
        containerStatuses: [
          etcd({ waiting: { reason: "CreateContainerConfigError", message: 'secret "peer" not found' } }),
        ],
      },
      'container etcd cannot start: CreateContainerConfigError: secret "peer" not found',
    ],
    [
      "etcd crashes again and again",
      {
        containerStatuses: [
          etcd(
            { waiting: { reason: "CrashLoopBackOff", message: "back-off 40s restarting failed container" } },
            { terminated: { exitCode: 137, reason: "OOMKilled" } },
          ),
        ],
      },
      "container etcd keeps ending with exit code 137 (OOMKilled)",
    ],
    [
      "the kubelet waits, and does not say after what",
      { containerStatuses: [etcd({ waiting: { reason: "CrashLoopBackOff", message: "back-off 10s" } })] },
      "container etcd cannot start: CrashLoopBackOff: back-off 10s",
    ],
    [
      "the guard refuses, which comes before all that waits for it",
      {
        initContainerStatuses: [
          guard(
            { waiting: { reason: "CrashLoopBackOff" } },
            { terminated: { exitCode: 10, reason: "Error", message: "the data is gone\n" } },
          ),
        ],
        containerStatuses: [etcd({ waiting: { reason: "PodInitializing" } })],
      },
      "container guard keeps ending with exit code 10: the data is gone",
    ],
    [
      "etcd has ended, even if it was content",
      { containerStatuses: [etcd({ terminated: { exitCode: 0, reason: "Completed" } })] },
      "container etcd ended with exit code 0",
    ],
    [
      "etcd has just been started again",
      { containerStatuses: [etcd({ running: {} }, { terminated: { exitCode: 2, reason: "Error" } })] },
      "container etcd was started again after it ended with exit code 2",
    ],
  ];
  for (const [what, status, trouble] of cases) {
    test(what, () => assert.equal(podTrouble({ status }), trouble));
  }

  test("not what is history: etcd is ready again", () => {
    const container = { ...etcd({ running: {} }, { terminated: { exitCode: 2 } }), ready: true };
    assert.equal(podTrouble({ status: { containerStatuses: [container] } }), undefined);
  });

  test("long messages are cut", () => {
    const message = "x".repeat(1_000);
    const trouble = podTrouble({
      status: { containerStatuses: [etcd({ waiting: { reason: "ErrImagePull", message } })] },
    });
    assert.ok(trouble?.endsWith("x…") && trouble.length < 400);
  });
});

function guard(state: ContainerState, lastState: ContainerState = {}): ContainerStatus {
  return { ...etcd(state, lastState), name: "guard" };
}

function etcd(state: ContainerState, lastState: ContainerState = {}): ContainerStatus {
  return { name: "etcd", state, lastState, image: "", imageID: "", ready: false, restartCount: 0 };
}
