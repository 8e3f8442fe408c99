import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { compareVersions, parseVersion, type Version } from "@etcd-operator/etcd-client";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { aMemberPod } from "@etcd-operator/testing/cluster/a-member-pod.ts";
import { anEtcdCluster } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { anObservation } from "@etcd-operator/testing/cluster/an-observation.ts";
import { stored } from "@etcd-operator/testing/cluster/cached-world.ts";
import { RUNNING, statusOf } from "@etcd-operator/testing/cluster/status-of.ts";
import type { PersistentVolumeClaim, Pod } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import { NEWEST_TESTED_VERSION } from "../../api/cluster/etcd-version.ts";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import { formatClusterRecord } from "../bootstrap/cluster-record.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";
import { withVersion } from "./with-version.ts";

const NOTHING_MADE = { pods: [], claims: [] };

function unversioned(status: EtcdClusterStatus = {}) {
  return { ...stored(anEtcdCluster({ version: "" })), status };
}

function podsOf(...versions: readonly string[]): readonly Stored<Pod>[] {
  return versions.map((version, index) => {
    const pod = aMemberPod(anEtcdCluster(), { member: `example-${index}` });
    return { ...pod, metadata: { ...pod.metadata, annotations: { [ANNOTATIONS.version]: version } } };
  });
}

function claimRecorded(version: string): Stored<PersistentVolumeClaim> {
  const record = formatClusterRecord({ term: 1, index: 1, version, voters: { a: "http://a:2380" } });
  return stored<PersistentVolumeClaim>({
    metadata: { name: "example-0", annotations: { [ANNOTATIONS.clusterRecord]: record } },
  });
}

describe("a cluster whose spec names no version", () => {
  test("gets the newest that this release is tested with, when it is new", () => {
    assert.equal(withVersion(unversioned(), NOTHING_MADE).spec.version, NEWEST_TESTED_VERSION);
  });

  test("is not rolled by a release of the operator that knows a newer one: the record counts", () => {
    const seen = anObservation({ version: "3.5.16", status: RUNNING });
    const { desiredVersion } = statusOf(seen);
    assert.equal(desiredVersion, "3.5.16");
    assert.equal(
      withVersion(unversioned({ desiredVersion }), { pods: podsOf("3.7.3"), claims: [] }).spec.version,
      "3.5.16",
    );
  });

  test("is recorded with its version before anything is made of it", () => {
    const hold = { kind: "hold", reason: "CertificatesUnusable", message: "x" } as const;
    const seen = anObservation({ status: {}, members: [], size: 3, membership: "unknown", version: "3.6.16" });
    assert.equal(statusOf(seen, hold).desiredVersion, "3.6.16");
  });

  test("keeps what it runs when the operator before recorded nothing but that", () => {
    const status = { phase: "Running", currentVersion: "3.2.13" } as const;
    assert.equal(withVersion(unversioned(status), NOTHING_MADE).spec.version, "3.2.13");
  });

  test("keeps what its pods run, or its retained claims ran, when there is no status", () => {
    assert.equal(withVersion(unversioned(), { pods: podsOf("3.4.23", "3.5.16"), claims: [] }).spec.version, "3.5.16");
    assert.equal(withVersion(unversioned(), { pods: [], claims: [claimRecorded("3.4.23")] }).spec.version, "3.4.23");
  });

  test("goes on with the version that was taken out of its spec, unless that was out of reach", () => {
    const refused = anObservation({
      status: { ...RUNNING, desiredVersion: "3.5.16", currentVersion: "3.5.16" },
      version: "3.5.16",
    });
    const cluster = { ...refused.cluster, spec: { ...refused.cluster.spec, version: "3.7.3" } };
    assert.equal(statusOf({ ...refused, cluster }).desiredVersion, "3.5.16");
  });
});

test("a version in the spec decides, whatever is on record", () => {
  const cluster = { ...stored(anEtcdCluster({ version: "3.6.16" })), status: { desiredVersion: "3.5.16" } };
  assert.equal(withVersion(cluster, NOTHING_MADE), cluster);
});

test("the newest version that is tested is the newest that tools/ builds", () => {
  const tools = new URL("../../../../../tools/", import.meta.url);
  const built = readdirSync(tools).flatMap((name) => {
    if (!name.startsWith("etcd-")) return [];
    const module = readFileSync(new URL(`${name}/go.mod`, tools), "utf8");
    return parseVersion(/etcd\/server\/v3 v(\S+)/.exec(module)?.[1] ?? "") ?? [];
  });
  const newest = built.sort(compareVersions).at(-1) as Version;
  assert.deepEqual(newest, parseVersion(NEWEST_TESTED_VERSION));
});
