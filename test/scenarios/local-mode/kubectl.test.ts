import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LocalModeUnderTest, startLocalMode } from "@etcd-operator/testing/local/local-mode.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

let local: LocalModeUnderTest;

beforeAll(async () => {
  local = await startLocalMode();
});

afterAll(() => local?.dispose());

const shell = (name: string, script: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", labels: { name } },
  spec: {
    terminationGracePeriodSeconds: 1,
    containers: [{ name: "main", image: "busybox", command: ["sh", "-c", script], ...more }],
  },
});

const cluster = (spec: object) => ({
  apiVersion: "etcd.database.coreos.com/v1beta2",
  kind: "EtcdCluster",
  metadata: { name: "example", namespace: "default" },
  spec,
});

const running = (pod: string) => local.kubectl("wait", "--for=condition=Ready", "--timeout=30s", `pod/${pod}`);

describe("the unmodified kubectl on local mode", () => {
  test("get, describe and api-resources show what there is", async () => {
    assert.match(await local.kubectl("get", "nodes"), /local +Ready/);
    assert.match(await local.kubectl("get", "namespaces"), /default +Active/);
    assert.match(
      await local.kubectl("api-resources"),
      /etcdclusters +etcd +etcd\.database\.coreos\.com\/v1beta2 +true +EtcdCluster/,
    );
    await local.apply(shell("described", "sleep 1000"));
    await running("described");
    const described = await local.kubectl("describe", "pod", "described");
    for (const part of [/Node: +local/, /Status: +Running/, /Reason: |Started/, /busybox/])
      assert.match(described, part);
  });

  test("apply merges three ways: what the new manifest leaves out is removed, what others added stays", async () => {
    const map = (data: object) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "merged", namespace: "default" },
      data,
    });
    await local.apply(map({ a: "1", b: "2" }));
    await local.kubectl("patch", "configmap", "merged", "--type=merge", "-p", '{"data":{"c":"3"}}');
    await local.apply(map({ a: "9" }));
    const merged = JSON.parse(await local.kubectl("get", "configmap", "merged", "-o", "jsonpath={.data}")) as object;
    assert.deepEqual(merged, { a: "9", c: "3" });
  });

  test("patch, scale, wait and explain work on our kind", async () => {
    await local.apply(cluster({ size: 3, version: "3.5.16" }));
    await local
      .kubectl("patch", "etcd", "example", "--type=json", "-p", '[{"op":"replace","path":"/spec/paused","value":true}]')
      .catch(() => local.kubectl("patch", "etcd", "example", "--type=merge", "-p", '{"spec":{"paused":true}}'));
    await local.kubectl("scale", "etcd", "example", "--replicas=5");
    assert.equal(await local.kubectl("get", "etcd", "example", "-o", "jsonpath={.spec.size}"), "5");
    await local.kubectl("wait", "etcd/example", "--for=jsonpath={.spec.size}=5", "--timeout=10s");
    assert.match(await local.kubectl("explain", "etcdcluster.spec.pod.etcdEnv"), /Environment of etcd/);
    const refused = await local.tryKubectl(["scale", "etcd", "example", "--replicas=9"]);
    assert.match(refused.stderr, /less than or equal to 7/);
    await local.kubectl("delete", "etcd", "example");
  });

  test("logs -f follows, and --previous shows the life before", async () => {
    await local.apply(shell("logging", 'echo "life $(date +%s%N)"; sleep 1; echo last words; exit 3'));
    await until(async () => /last words/.test((await local.tryKubectl(["logs", "logging", "--previous"])).stdout), {
      what: "a life before",
    });
    const followed = await local.kubectl("logs", "-f", "logging");
    assert.match(followed, /life \d+\nlast words/);
    await local.kubectl("delete", "pod", "logging", "--force", "--grace-period=0");
  });

  test("exec runs a program in the pod, passes input and gives back its exit code", async () => {
    await local.apply(shell("executed", "sleep 1000"));
    await running("executed");
    assert.equal((await local.kubectl("exec", "executed", "--", "hostname")).trim(), "executed");
    const echoed = await local.tryKubectl(["exec", "-i", "executed", "--", "cat"], "hello\n");
    assert.equal(echoed.stdout, "hello\n");
    const failed = await local.tryKubectl(["exec", "executed", "--", "sh", "-c", "echo oops >&2; exit 7"]);
    assert.equal(failed.code, 7);
    assert.match(failed.stderr, /oops/);
  });

  test("cp brings a file into a pod and back, byte by byte", async () => {
    await local.apply(shell("copied", "sleep 1000"));
    await running("copied");
    const folder = await mkdtemp(join(tmpdir(), "kubectl-cp-"));
    try {
      const bytes = randomBytes(3_000_000);
      await writeFile(join(folder, "sent"), bytes);
      await local.kubectl("cp", join(folder, "sent"), "copied:/tmp/file");
      await local.kubectl("cp", "copied:/tmp/file", join(folder, "fetched"));
      assert.ok(bytes.equals(await readFile(join(folder, "fetched"))));
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("delete --cascade=foreground removes what the object owns first", async () => {
    const owner = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "owner", namespace: "default" } };
    await local.apply(owner);
    const uid = await local.kubectl("get", "configmap", "owner", "-o", "jsonpath={.metadata.uid}");
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid, blockOwnerDeletion: true }];
    await local.apply({ ...owner, metadata: { name: "owned", namespace: "default", ownerReferences } });
    await local.kubectl("delete", "configmap", "owner", "--cascade=foreground", "--timeout=30s");
    assert.notEqual((await local.tryKubectl(["get", "configmap", "owned"])).code, 0);
  });

  test("get events shows what happened to a pod", async () => {
    await local.apply(shell("eventful", "sleep 1000"));
    await running("eventful");
    await until(
      async () => /Started/.test(await local.kubectl("get", "events", "--field-selector=involvedObject.name=eventful")),
      { what: "the event Started" },
    );
  });

  test("a pod with requests and limits is scheduled, and cannot change the machine's kernel", async () => {
    const resources = { requests: { cpu: "100m", memory: "64Mi" }, limits: { memory: "128Mi" } };
    await local.apply(shell("modest", "sleep 1000", { resources }));
    await running("modest");
    const written = await local.tryKubectl([
      "exec",
      "modest",
      "--",
      "sh",
      "-c",
      "echo x > /proc/sys/kernel/core_pattern",
    ]);
    assert.notEqual(written.code, 0);
    assert.notEqual((await local.tryKubectl(["exec", "modest", "--", "mknod", "/tmp/disk", "b", "254", "0"])).code, 0);
  });

  test("an image that this machine does not have is reported, with those that it has", async () => {
    await local.apply({
      ...shell("stranger", "true"),
      spec: { containers: [{ name: "main", image: "example.com/stranger:1" }] },
    });
    const reason = () =>
      local.kubectl("get", "pod", "stranger", "-o", "jsonpath={.status.containerStatuses[0].state.waiting}");
    await until(async () => /ErrImagePull|ImagePullBackOff/.test(await reason()), { what: "ErrImagePull" });
    const events = () => local.kubectl("get", "events", "--field-selector=involvedObject.name=stranger");
    await until(async () => /etcd/.test(await events()), { what: "the event that lists the images" });
  });

  test("without its token every client is refused", async () => {
    const { code, stderr } = await local.tryKubectl(["--token=wrong", "get", "pods"]);
    assert.notEqual(code, 0);
    assert.match(stderr, /Unauthorized|must be logged in/i);
  });
});
