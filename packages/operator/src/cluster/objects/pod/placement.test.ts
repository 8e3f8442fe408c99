import { anEtcdCluster } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { describe, expect, test } from "vitest";
import { placement } from "./placement.ts";

const labelSelector = { matchLabels: { app: "etcd", etcd_cluster: "example" } };
const spread = { maxSkew: 1, whenUnsatisfiable: "ScheduleAnyway", labelSelector };

describe("where members run", () => {
  test("they spread over nodes and zones, yet start on a single node too", () => {
    expect(placement(anEtcdCluster())).toEqual({
      topologySpreadConstraints: [
        { ...spread, topologyKey: "kubernetes.io/hostname" },
        { ...spread, topologyKey: "topology.kubernetes.io/zone" },
      ],
    });
  });

  test("the user's own spread replaces ours, also when it is none", () => {
    const of = (topologySpreadConstraints: object[]) =>
      placement(anEtcdCluster({ pod: { topologySpreadConstraints } })).topologySpreadConstraints;
    const own = { ...spread, topologyKey: "rack" };
    expect(of([own])).toEqual([own]);
    expect(of([])).toEqual([]);
  });

  test("antiAffinity of coreos/etcd-operator never puts two of them on one node", () => {
    expect(placement(anEtcdCluster({ pod: { antiAffinity: true } })).affinity).toEqual({
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector, topologyKey: "kubernetes.io/hostname" }],
      },
    });
  });

  test("an affinity wins over antiAffinity, as it did there", () => {
    const affinity = { nodeAffinity: { fromTheFuture: true } };
    expect(placement(anEtcdCluster({ pod: { antiAffinity: true, affinity } })).affinity).toEqual(affinity);
  });

  test("selectors, tolerations and priority are handed on", () => {
    const pod = { nodeSelector: { disk: "ssd" }, tolerations: [{ operator: "Exists" }], priorityClassName: "high" };
    expect(placement(anEtcdCluster({ pod }))).toMatchObject(pod);
  });

  test("one that relieves a crowded zone may only go to others", () => {
    const terms = [
      {
        matchExpressions: [
          { key: "kubernetes.io/hostname", operator: "NotIn", values: ["n1"] },
          { key: "topology.kubernetes.io/zone", operator: "In", values: ["b", "c"] },
        ],
      },
    ];
    expect(placement(anEtcdCluster(), { apartFrom: ["n1"], zones: ["b", "c"] }).affinity).toEqual({
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
    });
  });

  test("one that relieves a crowded node is kept from those of the others, and no other pod from it", () => {
    const elsewhere = { key: "kubernetes.io/hostname", operator: "NotIn", values: ["n1", "n2"] };
    const required = (terms: object[]) => ({
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms },
    });
    const terms = [{ matchExpressions: [elsewhere] }];
    expect(placement(anEtcdCluster(), { apartFrom: ["n1", "n2"] }).affinity).toEqual({ nodeAffinity: required(terms) });
    const ssd = { key: "disk", operator: "In", values: ["ssd"] };
    const wished = anEtcdCluster({ pod: { affinity: { nodeAffinity: required([{ matchExpressions: [ssd] }, {}]) } } });
    expect(placement(wished, { apartFrom: ["n1", "n2"] }).affinity).toEqual({
      nodeAffinity: required([{ matchExpressions: [ssd, elsewhere] }, { matchExpressions: [elsewhere] }]),
    });
  });
});
