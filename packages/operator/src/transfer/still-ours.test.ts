import assert from "node:assert/strict";
import { KubernetesError } from "@etcd-operator/kubernetes-client";
import { anEtcdBackup } from "@etcd-operator/testing/backup/an-etcd-backup.ts";
import { describe, test } from "vitest";
import { SCOPE_ANNOTATION } from "../api/group.ts";
import { ownResources } from "../objects/own-resources.ts";
import { expectStillOurs } from "./still-ours.ts";

const seen = anEtcdBackup();
const { signal } = new AbortController();

/** What the API server has by now. */
async function asked(live: object | undefined) {
  const get = async () => {
    if (live) return { ...seen, metadata: { ...seen.metadata, ...live } };
    throw new KubernetesError("not-found", { operation: "GET", message: "x" });
  };
  return expectStillOurs({ get } as never, ownResources.etcdBackups, seen, signal);
}

describe("an object, read past the cache", () => {
  test("is still ours whatever else was written to it", async () => {
    const { metadata } = await asked({ resourceVersion: "99", annotations: { [SCOPE_ANNOTATION]: "namespaced" } });
    assert.equal(metadata.resourceVersion, "99");
  });

  test.each([
    ["of which the scope was changed", { annotations: { [SCOPE_ANNOTATION]: "clusterwide" } }, /another operator now/],
    ["that was created again", { uid: "another" }, /created again/],
    ["that is gone", undefined, /does not exist any more/],
  ])("one %s is not ours any more", async (_, live, message) => {
    await assert.rejects(asked(live), { code: "not-ours", message });
  });
});
