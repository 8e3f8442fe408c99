import assert from "node:assert/strict";
import { anEtcdCluster } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { describe, test } from "vitest";
import { type DrillPod, drillPod } from "./drill-pod.ts";

const usual: DrillPod = {
  namespace: "prod",
  name: "nightly-drill-abc",
  backup: { name: "nightly", uid: "uid-1" },
  image: "etcd-operator:test",
  version: { major: 3, minor: 5, patch: 30 },
  cluster: undefined,
};

describe("the pod of a drill", () => {
  const { metadata, spec } = drillPod(usual);
  const [receive, restore] = spec?.initContainers ?? [];
  const [etcd] = spec?.containers ?? [];

  test("belongs to the EtcdBackup, and has no label of a member", () => {
    assert.deepEqual(metadata?.labels, { app: "etcd-drill", "etcd.database.coreos.com/owner-uid": "uid-1" });
    const [owner] = metadata?.ownerReferences ?? [];
    assert.deepEqual(
      [owner?.kind, owner?.name, owner?.uid, owner?.controller],
      ["EtcdBackup", "nightly", "uid-1", true],
    );
  });

  test("receives the snapshot, restores it by etcd's own tool, and serves it", () => {
    assert.deepEqual(
      [receive?.image, restore?.image, etcd?.image],
      ["etcd-operator:test", "quay.io/coreos/etcd:v3.5.30", "quay.io/coreos/etcd:v3.5.30"],
    );
    const restored = restore?.command?.find((word) => word.startsWith("--data-dir="));
    assert.ok(etcd?.command?.includes(restored ?? ""), "from where it was restored to");
    assert.ok(!restore?.command?.some((word) => word.startsWith("--bump-revision")), "its revision is compared");
    const mounted = (container: typeof etcd) => container?.volumeMounts?.map(({ name }) => name).sort();
    assert.deepEqual(mounted(etcd), ["etcd-data", "transfer"]);
    const volumes = spec?.volumes?.map(({ name }) => name).sort();
    assert.deepEqual(volumes, ["etcd-data", "snapshot", "transfer"]);
  });

  test("serves only clients that have its own certificate", () => {
    assert.ok(etcd?.command?.includes("--client-cert-auth=true"));
    assert.ok(etcd?.command?.includes("--trusted-ca-file=/etc/etcd-transfer/tls.crt"));
    const listening = etcd?.command?.filter((word) => word.startsWith("--listen-"));
    assert.deepEqual(listening, [
      "--listen-client-urls=https://0.0.0.0:2379",
      "--listen-peer-urls=http://127.0.0.1:2380",
    ]);
  });

  test("keeps to the restricted profile, gets no token, and does not live for ever", () => {
    assert.equal(spec?.securityContext?.runAsNonRoot, true);
    for (const container of [receive, restore, etcd]) {
      assert.equal(container?.securityContext?.allowPrivilegeEscalation, false);
      assert.deepEqual(container?.securityContext?.capabilities, { drop: ["ALL"] });
    }
    assert.deepEqual([spec?.automountServiceAccountToken, spec?.restartPolicy], [false, "Never"]);
    assert.ok((spec?.activeDeadlineSeconds ?? 0) > 3_600);
  });

  test("of a cluster of ours has its images, and goes where its members may", () => {
    const pod = {
      imagePullSecrets: [{ name: "registry" }],
      nodeSelector: { disk: "ssd" },
      tolerations: [{ key: "etcd" }],
      securityContext: { runAsUser: 1000 },
      resources: { requests: { memory: "1Gi" } },
    };
    const cluster = anEtcdCluster({ repository: "registry.local/etcd", version: "3.5.16-amd64", pod });
    const given = drillPod({ ...usual, cluster }).spec;
    const imagePullSecrets = [{ name: "of-operator" }];
    const names = drillPod({ ...usual, cluster, imagePullSecrets }).spec?.imagePullSecrets?.map(({ name }) => name);
    assert.deepEqual(names, ["registry", "of-operator"]);
    assert.equal(given?.containers[0]?.image, "registry.local/etcd:v3.5.30-amd64");
    assert.deepEqual([given?.imagePullSecrets, given?.nodeSelector], [pod.imagePullSecrets, pod.nodeSelector]);
    assert.deepEqual([given?.tolerations, given?.containers[0]?.resources], [pod.tolerations, pod.resources]);
    assert.equal(given?.securityContext?.runAsUser, 1000);
    for (const each of given?.initContainers ?? []) assert.deepEqual(each.resources, pod.resources);
  });

  test("names neither user nor group where the cluster leaves them to the platform", () => {
    const { securityContext } =
      drillPod({ ...usual, cluster: anEtcdCluster({ pod: { securityContext: {} } }) }).spec ?? {};
    assert.deepEqual([securityContext?.runAsUser, securityContext?.fsGroup], [undefined, undefined]);
    assert.equal(securityContext?.runAsNonRoot, true);
  });
});
