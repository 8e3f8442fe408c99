import assert from "node:assert/strict";
import { injectedCluster } from "@etcd-operator/testing/node/injected.ts";
import { titleWith } from "@etcd-operator/testing/skipped.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

const IMAGE = "docker.io/library/busybox:1.36";
const namespace = "smoke";
const cluster = await injectedCluster();
const obstacle = !cluster.isOurs && "the cluster is not ours";

beforeAll(async () => {
  const labels = { app: "web" };
  const metadata = { name: "web", namespace, labels };
  const container = {
    name: "web",
    image: IMAGE,
    command: ["sh", "-c", "echo started; touch /tmp/ready; exec sleep 36000"],
    readinessProbe: { exec: { command: ["ls", "/tmp/ready"] }, periodSeconds: 1 },
  };
  await cluster.apply(
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    { apiVersion: "v1", kind: "Service", metadata, spec: { selector: labels, ports: [{ port: 80 }] } },
    { apiVersion: "v1", kind: "Pod", metadata, spec: { terminationGracePeriodSeconds: 0, containers: [container] } },
  );
  await inNamespace("wait", "--for=condition=Ready", "--timeout=120s", "pod/web");
});

afterAll(async () => {
  await cluster.kubectl("delete", "namespace", namespace, "--wait=false");
});

describe("a real cluster", () => {
  test("has nodes, and all are ready", async () => {
    await cluster.kubectl("wait", "--for=condition=Ready", "--timeout=60s", "node", "--all");
  });

  test("runs a program in a container, and returns its output and its log", async () => {
    assert.equal((await inside("echo", "from inside")).trim(), "from inside");
    assert.equal((await inNamespace("logs", "web")).trim(), "started");
  });

  test("resolves the name of a Service to its address", async () => {
    const address = await inNamespace("get", "service", "web", "-o", "jsonpath={.spec.clusterIP}");
    assert.match(await inside("nslookup", `web.${namespace}.svc.cluster.local`), new RegExp(`Address: ${address}\\b`));
  });

  test("takes a pod whose readiness probe fails out of its Service", { timeout: 120_000 }, async () => {
    const ready = () =>
      inNamespace("get", "endpointslices", "-l", "kubernetes.io/service-name=web", "-o", READY_ENDPOINTS);
    await until(async () => (await ready()) === "true", { what: "the pod to be in its Service" });
    await inside("rm", "/tmp/ready");
    await until(async () => (await ready()) === "false", { what: "the pod to be out of its Service" });
  });

  test.skipIf(obstacle)(titleWith("has no way out", obstacle), async () => {
    const attempt = ["exec", "-n", namespace, "web", "--", "nc", "-w", "5", "192.0.2.1", "80"];
    const { code, stderr } = await cluster.tryKubectl(...attempt);
    assert.notEqual(code, 0);
    assert.match(stderr, /unreachable/);
  });
});

const READY_ENDPOINTS = "jsonpath={.items[*].endpoints[*].conditions.ready}";

function inside(...command: string[]): Promise<string> {
  return inNamespace("exec", "web", "--", ...command);
}

function inNamespace(...args: string[]): Promise<string> {
  return cluster.kubectl("-n", namespace, ...args);
}
