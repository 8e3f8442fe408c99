import assert from "node:assert/strict";
import { type LocalModeUnderTest, startLocalMode } from "@etcd-operator/testing/local/local-mode.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

let local: LocalModeUnderTest;
beforeAll(async () => {
  local = await startLocalMode({ nodes: 2 });
});
afterAll(() => local?.dispose());

const claim = (name: string, storageClassName: string) => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name, namespace: "default" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName },
});

const user = (name: string, node: string, claimName: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default" },
  spec: {
    terminationGracePeriodSeconds: 0,
    nodeSelector: { "kubernetes.io/hostname": node },
    containers: [
      {
        ...{ name: "main", image: "busybox", command: ["sh", "-c", `echo ${name} >> /data/users; exec sleep 1000`] },
        volumeMounts: [{ name: "data", mountPath: "/data" }],
      },
    ],
    volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
  },
});

const isReady = (pod: string) => local.kubectl("wait", "--for=condition=Ready", "--timeout=60s", `pod/${pod}`);
const events = async (pod: string) =>
  local.kubectl(
    "get",
    "events",
    "--field-selector",
    `involvedObject.name=${pod}`,
    "-o",
    "jsonpath={.items[*].message}",
  );

describe("on several nodes", () => {
  test("a volume of the default class goes where its pod goes, to one node at a time, with its data", async () => {
    await local.apply(claim("moving", "standard"), user("first", "local", "moving"));
    await isReady("first");
    await local.apply(user("second", "local-2", "moving"));
    const says = async () =>
      /Multi-Attach error for volume "pvc-.*" Volume is already used by pod\(s\) first/.test(await events("second"));
    await until(says, { what: "the second to be told" });
    await local.kubectl("delete", "pod", "first");
    await isReady("second");
    assert.equal(await local.kubectl("exec", "second", "--", "cat", "/data/users"), "first\nsecond\n");
  });

  test("a volume of the class local stays, and so do its pods", async () => {
    await local.apply(claim("staying", "local"), user("third", "local-2", "staying"));
    await isReady("third");
    await local.apply(user("fourth", "local", "staying"));
    const says = async () => /1 node\(s\) didn't match PersistentVolume's node affinity/.test(await events("fourth"));
    await until(says, { what: "the fourth to be told" });
  });
});
