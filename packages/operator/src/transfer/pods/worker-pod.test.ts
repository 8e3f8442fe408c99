import type { PodSpec } from "kubernetes-types/core/v1.d.ts";
import { describe, expect, test } from "vitest";
import { restrictedViolations } from "../../../../../test/manifests/restricted-profile.ts";
import { workerPod } from "./worker-pod.ts";

const owner = { apiVersion: "etcd.database.coreos.com/v1beta2", kind: "EtcdBackup", name: "nightly", uid: "uid-1" };
const pod = workerPod({ namespace: "prod", name: "nightly-worker-x", owner, image: "own", claimName: "backups" });

describe("the pod of a worker", () => {
  test("fits into what Kubernetes' restricted profile allows", () => {
    expect(restrictedViolations(pod.spec as PodSpec)).toEqual([]);
  });

  test("belongs to the object that it works for", () => {
    expect(pod.metadata?.ownerReferences).toEqual([owner]);
    expect(pod.metadata?.labels).toEqual({
      app: "etcd-store-worker",
      "etcd.database.coreos.com/owner-uid": "uid-1",
    });
  });

  test("is no member of any cluster, ends by itself, and has no rights", () => {
    expect(JSON.stringify(pod.metadata?.labels)).not.toContain("etcd_cluster");
    expect(pod.spec).toMatchObject({ restartPolicy: "Never", automountServiceAccountToken: false });
    expect(pod.spec?.activeDeadlineSeconds).toBeGreaterThan(0);
  });

  test("asks the scheduler for the node where the claim is in use, and for none otherwise", () => {
    expect(pod.spec?.affinity).toBeUndefined();
    const request = { namespace: "prod", name: "x", owner, image: "own", claimName: "backups" };
    const { spec } = workerPod({ ...request, nodeName: "node-2" });
    expect(spec?.nodeName).toBeUndefined();
    const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    expect(required?.nodeSelectorTerms).toEqual([
      { matchFields: [{ key: "metadata.name", operator: "In", values: ["node-2"] }] },
    ]);
  });

  test("runs where the members of its cluster may, and as whom; unless that says otherwise in the restricted profile", () => {
    const policy = {
      nodeSelector: { disk: "ssd" },
      tolerations: [{ key: "etcd" }],
      priorityClassName: "urgent",
      serviceAccountName: "etcd",
      imagePullPolicy: "Always" as const,
      securityContext: { runAsUser: 1000 },
      resources: { requests: { memory: "8Gi" }, limits: { cpu: "2", memory: "8Gi" } },
      affinity: { podAntiAffinity: {} },
    };
    const { spec } = workerPod({ namespace: "prod", name: "x", owner, image: "own", claimName: "backups", policy });
    expect(spec).toMatchObject({
      nodeSelector: { disk: "ssd" },
      tolerations: [{ key: "etcd" }],
      priorityClassName: "urgent",
      serviceAccountName: "etcd",
      securityContext: { runAsUser: 1000, runAsNonRoot: true },
    });
    expect([spec?.affinity, spec?.automountServiceAccountToken]).toEqual([undefined, false]);
    const [worker] = spec?.containers ?? [];
    expect(worker?.imagePullPolicy).toBe("Always");
    expect(worker?.resources).toEqual({
      requests: { cpu: "50m", memory: "64Mi" },
      limits: { cpu: "2", memory: "256Mi" },
    });
  });

  test("names neither user nor group where the cluster leaves them to the platform", () => {
    const policy = { securityContext: {} };
    const { spec } = workerPod({ namespace: "prod", name: "x", owner, image: "own", claimName: "backups", policy });
    const { runAsUser, runAsGroup, fsGroup, runAsNonRoot } = spec?.securityContext ?? {};
    expect([runAsUser, runAsGroup, fsGroup, runAsNonRoot]).toEqual([undefined, undefined, undefined, true]);
    expect(restrictedViolations(spec as PodSpec)).toEqual([]);
  });

  test("is pulled with the Secrets that are given", () => {
    expect(pod.spec?.imagePullSecrets).toBeUndefined();
    const imagePullSecrets = [{ name: "registry" }];
    const pulled = workerPod({
      namespace: "prod",
      name: "x",
      owner,
      image: "own",
      claimName: "backups",
      imagePullSecrets,
    });
    expect(pulled.spec?.imagePullSecrets).toEqual(imagePullSecrets);
  });

  test("mounts the claim, and the Secret that is made after it", () => {
    expect(pod.spec?.volumes).toEqual([
      { name: "backups", persistentVolumeClaim: { claimName: "backups" } },
      { name: "transfer", secret: { secretName: "nightly-worker-x-transfer" } },
    ]);
    const [, , directory] = pod.spec?.containers[0]?.command ?? [];
    expect(pod.spec?.containers[0]?.volumeMounts?.[0]).toEqual({ name: "backups", mountPath: directory });
  });
});
