import assert from "node:assert/strict";
import { anEtcdCluster, STATIC_TLS } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { test } from "vitest";
import type { EtcdMember } from "../model/observation.ts";
import { entryOf, joiningStart } from "./joining.ts";

const cluster = { ...anEtcdCluster(), status: { clusterID: "c1" } };
const urlOf = (name: string) => `http://${name}.example.prod.svc:2380`;
const member = (name: string, more: Partial<EtcdMember> = {}): EtcdMember => ({
  id: "1",
  name,
  peerUrls: [urlOf(name)],
  isLearner: false,
  ...more,
});
const added = member("", { peerUrls: [urlOf("new")], isLearner: true });

test("a member that has been added gets the list of every other one, with every URL, and not of itself", () => {
  const two = member("b", { peerUrls: [urlOf("b"), "http://10.0.0.2:2380"] });
  assert.deepEqual(joiningStart([member("a"), two, added], cluster, "new"), {
    kind: "joining",
    clusterId: "c1",
    peers: [
      { name: "a", peerUrl: urlOf("a") },
      { name: "b", peerUrl: urlOf("b") },
      { name: "b", peerUrl: "http://10.0.0.2:2380" },
    ],
  });
});

test("one that has not started yet is named after its URL", () => {
  const waiting = member("", { peerUrls: [urlOf("b")] });
  const start = joiningStart([member("a"), waiting, added], cluster, "new");
  assert.deepEqual(start.kind === "joining" && start.peers.map(({ name }) => name), ["a", "b"]);
});

test("a member is found by its URL, also when it was added before TLS was switched on", () => {
  const tls = { ...anEtcdCluster({ TLS: STATIC_TLS }), status: { clusterID: "c1" } };
  assert.equal(entryOf([member("a"), added], tls, "new"), added);
  assert.equal(entryOf([member("a")], tls, "new"), undefined);
});

test("no member joins that is not in the list, or has started before", () => {
  assert.match(whyNot([member("a")]), /new is not in the member list/);
  assert.match(whyNot([member("a"), member("new")]), /has started before/);
});

function whyNot(members: readonly EtcdMember[]): string {
  const start = joiningStart(members, cluster, "new");
  return start.kind === "postponed" ? start.why : "";
}
