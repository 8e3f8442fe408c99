import assert from "node:assert/strict";
import type { Container } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import { KubeletError } from "../kubelet-error.ts";
import { containerEnv, type EnvSources, envReferences } from "./container-env.ts";

const sources: EnvSources = {
  pod: { metadata: { name: "a", namespace: "ns", labels: { app: "x" } } },
  podIp: "10.0.0.2",
  hostIp: "10.0.0.1",
  machine: { cpu: 2, memoryBytes: 1 },
  secrets: new Map([["s", { password: "p", user: "u" }]]),
  configMaps: new Map([["c", { level: "debug" }]]),
};

function envOf(container: Partial<Container>): Record<string, string> {
  return Object.fromEntries(containerEnv({ name: "c", ...container }, sources));
}

describe("containerEnv", () => {
  test("a value may use the ones before it, not the ones after it", () => {
    const env = [
      { name: "A", value: "1" },
      { name: "B", value: "$(A)$(C)" },
      { name: "C", value: "$$(A)" },
    ];
    assert.deepEqual(envOf({ env }), { A: "1", B: "1$(C)", C: "$(A)" });
  });

  test("references to the pod, to Secrets and to ConfigMaps are resolved", () => {
    const env = [
      { name: "NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      { name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
      { name: "CPU", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } },
      { name: "PASSWORD", valueFrom: { secretKeyRef: { name: "s", key: "password" } } },
      { name: "LEVEL", valueFrom: { configMapKeyRef: { name: "c", key: "level" } } },
      { name: "URL", value: "https://$(NAME).$(IP)" },
    ];
    assert.deepEqual(envOf({ env }), {
      NAME: "a",
      IP: "10.0.0.2",
      CPU: "2",
      PASSWORD: "p",
      LEVEL: "debug",
      URL: "https://a.10.0.0.2",
    });
  });

  test("env wins over envFrom, whose keys may get a prefix", () => {
    const envFrom = [{ secretRef: { name: "s" }, prefix: "DB_" }, { configMapRef: { name: "c" } }];
    const env = [{ name: "level", value: "info" }];
    assert.deepEqual(envOf({ envFrom, env }), { DB_password: "p", DB_user: "u", level: "info" });
  });

  test("an optional reference to nothing leaves the variable out", () => {
    const env = [
      { name: "A", valueFrom: { secretKeyRef: { name: "none", key: "k", optional: true } } },
      { name: "B", valueFrom: { configMapKeyRef: { name: "c", key: "none", optional: true } } },
    ];
    const envFrom = [{ configMapRef: { name: "none", optional: true } }];
    assert.deepEqual(envOf({ env, envFrom }), {});
  });

  test.each<[string, Partial<Container>]>([
    ['secret "none" not found', { env: [{ name: "A", valueFrom: { secretKeyRef: { name: "none", key: "k" } } }] }],
    [
      "couldn't find key none in Secret ns/s",
      { env: [{ name: "A", valueFrom: { secretKeyRef: { name: "s", key: "none" } } }] },
    ],
    ['configmap "none" not found', { envFrom: [{ configMapRef: { name: "none" } }] }],
  ])("says %j", (message, container) => {
    assert.throws(
      () => envOf(container),
      (error) => error instanceof KubeletError && error.code === "missing-object" && error.message === message,
    );
  });
});

test("envReferences names what has to be fetched first", () => {
  const { secrets, configMaps } = envReferences({
    name: "c",
    envFrom: [{ secretRef: { name: "s1" } }, { configMapRef: { name: "c1" } }],
    env: [
      { name: "A", value: "x" },
      { name: "B", valueFrom: { secretKeyRef: { name: "s2", key: "k" } } },
      { name: "C", valueFrom: { configMapKeyRef: { name: "c1", key: "k" } } },
    ],
  });
  assert.deepEqual([...secrets], ["s1", "s2"]);
  assert.deepEqual([...configMaps], ["c1"]);
});
