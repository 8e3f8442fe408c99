import { anEtcdCluster } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { describe, expect, test } from "vitest";
import { clientService, peerService } from "./service.ts";

const cluster = anEtcdCluster();
const labels = { app: "etcd", etcd_cluster: "example" };
const client = { name: "client", port: 2379, targetPort: 2379, protocol: "TCP" };
const peer = { name: "peer", port: 2380, targetPort: 2380, protocol: "TCP" };

describe("the Services of a cluster", () => {
  test("the headless one names members before they are ready, so that they find each other", () => {
    expect(peerService(cluster)).toMatchObject({
      metadata: { name: "example", namespace: "prod", labels },
      spec: { clusterIP: "None", publishNotReadyAddresses: true, selector: labels, ports: [client, peer] },
    });
  });

  test("the clients' leads to ready members only", () => {
    const service = clientService(cluster);
    expect(service).toMatchObject({ metadata: { name: "example-client", labels } });
    expect(service.spec).toEqual({
      type: "ClusterIP",
      selector: labels,
      ports: [client],
      publishNotReadyAddresses: false,
    });
  });

  test.each([
    ["headless", peerService],
    ["clients'", clientService],
  ])("the %s one has one owner, which controls it", (_, build) => {
    expect(build(cluster).metadata?.ownerReferences).toEqual([
      {
        apiVersion: "etcd.database.coreos.com/v1beta2",
        kind: "EtcdCluster",
        name: "example",
        uid: "uid-1",
        controller: true,
      },
    ]);
  });
});
