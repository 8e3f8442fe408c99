import { parseVersion } from "@etcd-operator/etcd-client";
import { A_CLAIM, anEtcdCluster, STATIC_TLS } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { describe, expect, test } from "vitest";
import { restrictedViolations } from "../../../../../../test/manifests/restricted-profile.ts";
import { RESTORE_UID_ANNOTATION } from "../../../api/restore-request.ts";
import { RESTORE_ONCE_ANNOTATION, WORKER_OWNER_LABEL } from "../../../transfer/names.ts";
import { CA_ANNOTATIONS } from "../../tls/ca-annotations.ts";
import { ANNOTATIONS } from "../annotations.ts";
import { type MemberPod, memberPod } from "./pod.ts";
import type { Start } from "./start.ts";

const starts: Record<Start["kind"], Start> = {
  seed: { kind: "seed", token: "uid-1-1", peers: [] },
  joining: { kind: "joining", clusterId: "c1", peers: [] },
  restored: { kind: "restored", token: "t", revisionBump: 1_000, restoreUid: "r1" },
  returning: { kind: "returning", clusterId: "c1", memberId: "a1" },
};

describe("the pod of a member", () => {
  test("has the name, labels and DNS name by which users of coreos/etcd-operator know it", () => {
    const { metadata, spec } = podOf();
    expect(metadata).toMatchObject({
      name: "example-a",
      namespace: "prod",
      labels: { app: "etcd", etcd_cluster: "example", etcd_node: "example-a" },
      ownerReferences: [{ kind: "EtcdCluster", uid: "uid-1", controller: true }],
    });
    expect(spec).toMatchObject({ hostname: "example-a", subdomain: "example" });
  });

  test("runs etcd of its version, which listens on three ports", () => {
    const { metadata, etcd } = podOf({ version: "3.4.23" });
    expect(metadata?.annotations?.["etcd.version"]).toBe("3.4.23");
    expect(etcd?.image).toBe("quay.io/coreos/etcd:v3.4.23");
    expect(etcd?.ports?.map(({ name, containerPort }) => [name, containerPort])).toEqual([
      ["server", 2380],
      ["client", 2379],
      ["metrics", 2381],
    ]);
  });

  test("restarts in place, has no token, and sees no variables of Services", () => {
    expect(podOf().spec).toMatchObject({
      restartPolicy: "Always",
      automountServiceAccountToken: false,
      enableServiceLinks: false,
    });
  });

  test("is ready only when the operator calls it a voter", () => {
    expect(podOf().spec?.readinessGates).toEqual([{ conditionType: "etcd.database.coreos.com/voter" }]);
  });

  test("the user's labels and annotations are there, and ours win", () => {
    const { metadata } = podOf({ pod: { labels: { team: "a" }, annotations: { note: "b", "etcd.version": "9" } } });
    expect(metadata?.labels).toMatchObject({ team: "a", app: "etcd" });
    expect(metadata?.annotations).toMatchObject({ note: "b", "etcd.version": "3.5.30" });
  });

  test.each([
    ...Object.values(ANNOTATIONS),
    ...Object.values(CA_ANNOTATIONS),
    RESTORE_UID_ANNOTATION,
    RESTORE_ONCE_ANNOTATION,
  ])("an annotation %s of the spec is never taken for the operator's own, however the member starts", (key) => {
    for (const start of Object.values(starts)) {
      const { metadata } = podOf({ start, pod: { annotations: { [key]: "forged", note: "b" } } });
      expect(metadata?.annotations).toEqual(
        podOf({ start, pod: { annotations: { note: "b" } } }).metadata?.annotations,
      );
    }
  });

  test.each([WORKER_OWNER_LABEL, "app", "etcd_cluster", "etcd_node", "etcd_anything"])(
    "a label %s of a stored spec does not reach it",
    (key) => {
      const { metadata } = podOf({ pod: { labels: { [key]: "forged", team: "a" } } });
      expect(metadata?.labels).toEqual(podOf({ pod: { labels: { team: "a" } } }).metadata?.labels);
    },
  );

  test("fields of the spec reach it", () => {
    const fields = {
      imagePullSecrets: [{ name: "registry" }],
      serviceAccountName: "etcd",
      terminationGracePeriodSeconds: 60,
      nodeSelector: { disk: "ssd" },
    };
    const container = { imagePullPolicy: "Always", resources: { limits: { memory: "1Gi" } } };
    const etcdEnv = [{ name: "ETCD_LOG_LEVEL", value: "debug" }];
    const { spec, etcd } = podOf({ pod: { ...fields, ...container, etcdEnv } });
    expect(spec).toMatchObject(fields);
    expect(etcd).toMatchObject(container);
    expect(etcd?.env?.[0]).toEqual(etcdEnv[0]);
  });

  test("no field is undefined: an API server would call it changed for ever", () => {
    const { spec, metadata } = podOf();
    expect(JSON.parse(JSON.stringify({ spec, metadata }))).toStrictEqual({ spec, metadata });
  });
});

describe("its volumes", () => {
  test.each([
    ["an emptyDir", {}, { name: "etcd-data", emptyDir: {} }],
    [
      "the claim of its name",
      { persistentVolumeClaimSpec: A_CLAIM },
      { name: "etcd-data", persistentVolumeClaim: { claimName: "example-a" } },
    ],
  ])("the data is on %s", (_, pod, volume) => {
    const { spec, etcd } = podOf({ pod });
    expect(spec?.volumes).toEqual([volume]);
    expect(etcd?.volumeMounts).toEqual([{ name: "etcd-data", mountPath: "/var/etcd" }]);
  });

  test("the Secrets of TLS are mounted where the flags look for them", () => {
    const { spec, etcd } = podOf({ TLS: STATIC_TLS });
    expect(spec?.volumes?.slice(1)).toEqual([
      { name: "member-peer-tls", secret: { secretName: "peer" } },
      { name: "member-server-tls", secret: { secretName: "server" } },
    ]);
    expect(etcd?.volumeMounts?.slice(1).map(({ mountPath, readOnly }) => [mountPath, readOnly])).toEqual([
      ["/etc/etcdtls/member/peer-tls", true],
      ["/etc/etcdtls/member/server-tls", true],
    ]);
  });
});

describe("its guard", () => {
  test.each([
    ["seed", undefined, undefined],
    ["joining", "c1", undefined],
    ["returning", "c1", "a1"],
    ["restored", undefined, undefined],
  ] as const)("of a %s member expects cluster %s and member %s", (kind, clusterId, memberId) => {
    const { metadata, guard } = podOf({ start: starts[kind] });
    expect(metadata?.annotations?.["etcd.database.coreos.com/cluster-id"]).toBe(clusterId);
    expect(metadata?.annotations?.["etcd.database.coreos.com/member-id"]).toBe(memberId);
    expect(guard?.env?.[0]).toEqual({ name: "GUARD_START", value: kind });
  });

  test("reads from the pod what was written on it later", () => {
    const { guard } = podOf();
    expect(guard).toMatchObject({ image: "operator:v1", command: ["etcd-guard", "/var/etcd/data"] });
    expect(guard?.env?.slice(1).map(({ name, valueFrom }) => [name, valueFrom?.fieldRef?.fieldPath])).toEqual([
      ["GUARD_MEMBER_ID", "metadata.annotations['etcd.database.coreos.com/member-id']"],
      ["GUARD_CLUSTER_ID", "metadata.annotations['etcd.database.coreos.com/cluster-id']"],
      ["GUARD_POD_UID", "metadata.uid"],
      ["GUARD_LOG_REACHED", "metadata.annotations['etcd.database.coreos.com/log-reached']"],
    ]);
  });

  test("has etcd's resources, so that the pod stays in its class", () => {
    const resources = { limits: { cpu: "1", memory: "1Gi" } };
    expect(podOf({ pod: { resources } }).guard?.resources).toEqual(resources);
    expect(podOf().guard?.resources).toBeUndefined();
  });

  test("reports its last output in the pod's status, and so does etcd", () => {
    const { guard, etcd } = podOf();
    expect([guard, etcd].map((each) => each?.terminationMessagePolicy)).toEqual(Array(2).fill("FallbackToLogsOnError"));
  });

  test("another image of it does not roll the pod", () => {
    const hashes = ["operator:v1", "operator:v2"].map(
      (guardImage) => podOf({ guardImage }).metadata?.annotations?.["etcd.database.coreos.com/spec-hash"],
    );
    expect(hashes[0]).toMatch(/^v1:[0-9a-f]{16}$/);
    expect(hashes[1]).toBe(hashes[0]);
  });
});

describe("the pod of a restored member", () => {
  const { metadata, spec, etcd } = podOf({ start: starts.restored, pod: { resources: { limits: { cpu: "1" } } } });

  test("reports the output of its containers when they fail", () => {
    const all = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
    const policies = all.map(({ name, terminationMessagePolicy }) => `${name} ${terminationMessagePolicy}`);
    expect(policies).toEqual(["receive", "restore", "guard", "etcd"].map((name) => `${name} FallbackToLogsOnError`));
  });

  test("takes the snapshot, makes a directory of it, and only then asks the guard", () => {
    expect(spec?.initContainers?.map(({ name, image }) => [name, image])).toEqual([
      ["receive", "operator:v1"],
      ["restore", "quay.io/coreos/etcd:v3.5.30"],
      ["guard", "operator:v1"],
    ]);
    expect(spec?.initContainers?.every(({ resources }) => resources?.limits?.cpu === "1")).toBe(true);
    expect(spec?.initContainers?.every(({ volumeMounts }) => volumeMounts?.[0]?.mountPath === "/var/etcd")).toBe(true);
  });

  test("restores into the directory that etcd uses, with its own token and URL", () => {
    expect(spec?.initContainers?.[1]?.command).toEqual(
      expect.arrayContaining([
        "--data-dir=/var/etcd/data",
        "--name=example-a",
        "--initial-cluster=example-a=http://example-a.example.prod.svc:2380",
        "--initial-cluster-token=t",
        "--bump-revision=1000",
      ]),
    );
    expect(etcd?.command).toContain("--data-dir=/var/etcd/data");
  });

  test("names the restore that it waits for, and restores until its identity is known", () => {
    expect(metadata?.annotations).toMatchObject({
      "etcd.database.coreos.com/restore-uid": "r1",
      "etcd.database.coreos.com/restore-once": "--skip-hash-check=false",
    });
    expect(podOf().metadata?.annotations).not.toHaveProperty("etcd.database.coreos.com/restore-uid");
  });

  test("finds there what it and the operator know each other by", () => {
    expect(spec?.volumes?.map(({ name }) => name)).toEqual(["etcd-data", "snapshot", "transfer"]);
    expect(spec?.volumes?.[2]?.secret?.secretName).toBe("example-a-transfer");
    expect(podOf().spec?.volumes).toHaveLength(1);
  });

  test("is made from the same spec as the others, so that only the restoring containers distinguish it from them", () => {
    const hash = "etcd.database.coreos.com/spec-hash";
    const [restored, seed] = [podOf({ start: starts.restored }), podOf()];
    expect(restored.metadata?.annotations?.[hash]).toBe(seed.metadata?.annotations?.[hash]);
  });
});

describe("its rights", () => {
  test.each(["seed", "restored"] as const)("are those of the restricted profile: %s", (kind) => {
    const { spec } = podOf({
      start: starts[kind],
      TLS: STATIC_TLS,
      pod: { resources: { requests: { cpu: "1", memory: "1Gi" }, limits: { memory: "1Gi" } } },
    });
    expect(spec && restrictedViolations(spec)).toEqual([]);
  });

  test("the user's security context wins field by field, and the rest stays restricted", () => {
    const { spec, etcd } = podOf({ pod: { securityContext: { runAsUser: 1000, fsGroup: 2000 } } });
    expect(spec?.securityContext).toMatchObject({ runAsUser: 1000, fsGroup: 2000, runAsNonRoot: true });
    expect(etcd?.securityContext?.capabilities).toEqual({ drop: ["ALL"] });
  });

  test("leave user and groups to the platform for an empty security context, and stay restricted", () => {
    const { spec } = podOf({ pod: { securityContext: {} } });
    expect(spec?.securityContext).toEqual({
      runAsNonRoot: true,
      fsGroupChangePolicy: "OnRootMismatch",
      seccompProfile: { type: "RuntimeDefault" },
    });
  });

  test("a spec that asks for root gets it, with what root needs to read the files of others", () => {
    const { spec, etcd } = podOf({ pod: { securityContext: { runAsUser: 0 } } });
    expect(spec?.securityContext?.runAsNonRoot).toBeUndefined();
    expect(etcd?.securityContext).toEqual({ allowPrivilegeEscalation: false });
  });
});

type Case = Partial<Omit<MemberPod, "version">> & { version?: string; pod?: object; TLS?: object };

function podOf({ version = "3.5.30", pod, TLS, ...wanted }: Case = {}) {
  const parsed = parseVersion(version);
  if (!parsed) throw new Error(`not a version: ${version}`);
  const { spec, ...made } = anEtcdCluster({ TLS });
  // As it is stored: perhaps from before there was a rule for it.
  const cluster = { ...made, spec: { ...spec, pod: pod as typeof spec.pod } };
  const usual = { cluster, member: "example-a", incarnation: 1, start: starts.seed, guardImage: "operator:v1" };
  const built = memberPod({ ...usual, version: parsed, ...wanted });
  return { ...built, etcd: built.spec?.containers[0], guard: built.spec?.initContainers?.at(-1) };
}
