import { A_CLAIM, anEtcdCluster, STATIC_TLS } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { describe, expect, test } from "vitest";
import { fingerprint } from "./fingerprint.ts";
import { isHashOf, isOfNotation, specHash } from "./spec-hash.ts";

const hashOf = (spec: object) => specHash(anEtcdCluster(spec).spec);
const nothing = hashOf({});
const claim = (fields: object = {}) => ({ pod: { persistentVolumeClaimSpec: { ...A_CLAIM, ...fields } } });

describe("the hash of a spec", () => {
  // When one of these fails, an update of the operator would restart every etcd of its users.
  test.each([
    [{}, "v1:08f44b07b5901a25"],
    [{ pod: { resources: { limits: { memory: "1Gi" } } } }, "v1:79d59cb207909194"],
    [{ TLS: STATIC_TLS, etcd: { snapshotCount: 5 }, ...claim() }, "v1:cb236344c11221d7"],
  ])("of %j is the same in every release", (spec, hash) => {
    expect(hashOf(spec)).toBe(hash);
  });

  test.each<[string, object]>([
    ["TLS", { TLS: STATIC_TLS }],
    ["the Secret between members", { TLS: { static: { member: { peerSecret: "other" } } } }],
    ["a tunable", { etcd: { snapshotCount: 5 } }],
    ["a selector of nodes", { pod: { nodeSelector: { disk: "ssd" } } }],
    ["affinity", { pod: { affinity: { nodeAffinity: {} } } }],
    ["antiAffinity", { pod: { antiAffinity: true } }],
    ["tolerations", { pod: { tolerations: [{ operator: "Exists" }] } }],
    ["a spread", { pod: { topologySpreadConstraints: [{ maxSkew: 1 }] } }],
    ["no spread at all", { pod: { topologySpreadConstraints: [] } }],
    ["resources", { pod: { resources: { limits: { memory: "1Gi" } } } }],
    ["the environment", { pod: { etcdEnv: [{ name: "ETCD_LOG_LEVEL", value: "debug" }] } }],
    ["a claim", claim()],
    ["the user", { pod: { securityContext: { runAsUser: 1 } } }],
    ["the user, left to the platform", { pod: { securityContext: {} } }],
    ["the domain", { pod: { ClusterDomain: "k8s.test" } }],
    ["pull secrets", { pod: { imagePullSecrets: [{ name: "registry" }] } }],
    ["the pull policy", { pod: { imagePullPolicy: "Always" } }],
    ["the priority", { pod: { priorityClassName: "high" } }],
    ["the time to stop, even none", { pod: { terminationGracePeriodSeconds: 0 } }],
    ["the service account", { pod: { serviceAccountName: "etcd" } }],
  ])("changes with %s", (_, spec) => {
    expect(hashOf(spec)).not.toBe(nothing);
  });

  test.each<[string, object]>([
    ["the size", { size: 5 }],
    ["the version", { version: "3.6.16" }],
    ["the repository", { repository: "registry.test/etcd" }],
    ["labels", { pod: { labels: { team: "a" } } }],
    ["annotations", { pod: { annotations: { note: "b" } } }],
    ["a pause", { paused: true }],
    ["how a new cluster comes up", { bootstrap: { mode: "Parallel" } }],
    ["when claims go", { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" } }],
    ["what is accepted for old YAML only", { pod: { busyboxImage: "busybox", DNSTimeoutInSecond: 5 } }],
    [
      "fields that say nothing",
      { etcd: {}, pod: { antiAffinity: false, resources: {}, etcdEnv: [], ClusterDomain: "" } },
    ],
  ])("does not change with %s", (_, spec) => {
    expect(hashOf(spec)).toBe(nothing);
  });

  test("does not change when a volume grows, which needs no new pod", () => {
    expect(hashOf(claim({ resources: { requests: { storage: "2Gi" } } }))).toBe(hashOf(claim()));
  });

  test("changes with the storage class, which needs a new volume", () => {
    expect(hashOf(claim({ storageClassName: "fast" }))).not.toBe(hashOf(claim()));
  });

  test("distinguishes a claim with only a size from no claim", () => {
    const persistentVolumeClaimSpec = { resources: A_CLAIM.resources };
    expect(hashOf({ pod: { persistentVolumeClaimSpec } })).not.toBe(nothing);
  });

  test("does not depend on the order of keys, but on that of variables, which may refer to earlier ones", () => {
    const [a, b] = [
      { name: "A", value: "1" },
      { value: "2", name: "B" },
    ];
    expect(hashOf({ pod: { nodeSelector: { x: "1", y: "2" } } })).toBe(
      hashOf({ pod: { nodeSelector: { y: "2", x: "1" } } }),
    );
    expect(hashOf({ pod: { etcdEnv: [a, b] } })).not.toBe(hashOf({ pod: { etcdEnv: [b, a] } }));
  });

  test("sees emptiness inside a field, where Kubernetes gives it a meaning", () => {
    const affinity = (term: object) => ({ pod: { affinity: { podAffinity: { terms: [term] } } } });
    expect(hashOf(affinity({ namespaceSelector: {} }))).not.toBe(hashOf(affinity({})));
  });

  describe("and quantities that are written in another way", () => {
    const asking = (requests: object) => anEtcdCluster({ pod: { resources: { requests } } }).spec;
    const usual = asking({ cpu: "50m", memory: "1Gi" });
    const other = asking({ cpu: "0.05", memory: "1024Mi" });
    const more = asking({ cpu: "60m", memory: "1Gi" });
    /** As releases made it that knew one way only. */
    const former = (spec: typeof usual) => `v1:${fingerprint({ resources: spec.pod?.resources })}`;

    test("stays the one that pods carry", () => {
      expect(isHashOf(specHash(usual), other)).toBe(true);
      expect(isHashOf(specHash(other), usual)).toBe(true);
      expect(isHashOf(specHash(other), asking({ cpu: 0.05, memory: 2 ** 30 }))).toBe(true);
      expect(isHashOf(specHash(other), more)).toBe(false);
    });

    test("is that of the releases before where quantities are written as usual, and another kind where not", () => {
      expect(specHash(usual)).toBe(former(usual));
      expect(specHash(other)).toMatch(/^v2:/);
    });

    test("rolls no pod of a release before, which took every notation for another value", () => {
      expect([usual, other].map((spec) => isHashOf(former(spec), spec))).toEqual([true, true]);
      expect(isHashOf(former(usual), other)).toBe(true);
      expect(isHashOf(former(other), more)).toBe(false);
    });

    test("asks for a new note where the one of a release before holds for one notation only", () => {
      expect([usual, other].map((spec) => isOfNotation(former(spec), spec))).toEqual([false, true]);
      expect([specHash(other), former(more)].map((hash) => isOfNotation(hash, other))).toEqual([false, false]);
    });
  });
});
