import assert from "node:assert/strict";
import type { Volume } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import { KubeletError } from "../kubelet-error.ts";
import type { PayloadSources } from "./payload.ts";
import { hasLivePayload, payloadReferences, volumePayload } from "./volume-payload.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

const sources: PayloadSources = {
  pod: {
    metadata: { name: "a", namespace: "ns", annotations: { id: "7" } },
    spec: { containers: [{ name: "c", resources: { limits: { memory: "1Mi" } } }] },
  },
  podIp: "10.0.0.2",
  hostIp: "10.0.0.1",
  machine: { cpu: 2, memoryBytes: 1 },
  secrets: new Map([["s", { data: { crt: base64("C"), key: base64("K") } }]]),
  configMaps: new Map([["m", { data: { text: "T" }, binaryData: { bin: base64("\u0000") } }]]),
  tokens: new Map([["3607 ", "token"]]),
};

function files(volume: Omit<Volume, "name">): Record<string, string> | undefined {
  const payload = volumePayload({ name: "v", ...volume }, sources);
  return (
    payload &&
    Object.fromEntries(payload.map(({ path, mode, content }) => [path, `${mode.toString(8)} ${Buffer.from(content)}`]))
  );
}

describe("volumePayload", () => {
  test.each<[string, Omit<Volume, "name">, Record<string, string> | undefined]>([
    ["a whole Secret", { secret: { secretName: "s" } }, { crt: "644 C", key: "644 K" }],
    [
      "some keys of a Secret, each with a path and a mode",
      {
        secret: {
          secretName: "s",
          defaultMode: 0o400,
          items: [
            { key: "key", path: "tls/key" },
            { key: "crt", path: "c", mode: 0o444 },
          ],
        },
      },
      { "tls/key": "400 K", c: "444 C" },
    ],
    ["a ConfigMap with binary data", { configMap: { name: "m" } }, { text: "644 T", bin: "644 \u0000" }],
    ["an optional Secret that is not there", { secret: { secretName: "none", optional: true } }, {}],
    [
      "the downward API",
      {
        downwardAPI: {
          items: [
            { path: "id", fieldRef: { fieldPath: "metadata.annotations['id']" } },
            { path: "memory", resourceFieldRef: { containerName: "c", resource: "limits.memory" } },
          ],
        },
      },
      { id: "644 7", memory: "644 1048576" },
    ],
    [
      "a projection of several, as the service account's is",
      {
        projected: {
          defaultMode: 0o600,
          sources: [
            { serviceAccountToken: { path: "token", expirationSeconds: 3607 } },
            { configMap: { name: "m", items: [{ key: "text", path: "ca.crt" }] } },
            { downwardAPI: { items: [{ path: "namespace", fieldRef: { fieldPath: "metadata.namespace" } }] } },
            { secret: { name: "s", items: [{ key: "key", path: "k" }] } },
          ],
        },
      },
      { token: "600 token", "ca.crt": "600 T", namespace: "600 ns", k: "600 K" },
    ],
    ["nothing for a plain folder", { emptyDir: {} }, undefined],
  ])("%s", (_, volume, expected) => {
    assert.deepEqual(files(volume), expected);
  });

  test.each<[string, Omit<Volume, "name">]>([
    ['secret "none" not found', { secret: { secretName: "none" } }],
    ['configmap "none" not found', { configMap: { name: "none" } }],
    ["references non-existent secret key: x", { secret: { secretName: "s", items: [{ key: "x", path: "x" }] } }],
  ])("says %j", (message, volume) => {
    assert.throws(
      () => files(volume),
      (error) => error instanceof KubeletError && error.code === "missing-object" && error.message === message,
    );
  });
});

test("payloadReferences names everything that has to be fetched", () => {
  const volumes: Volume[] = [
    { name: "a", secret: { secretName: "s1" } },
    {
      name: "b",
      projected: {
        sources: [{ secret: { name: "s2" } }, { configMap: { name: "m" } }, { serviceAccountToken: { path: "t" } }],
      },
    },
    { name: "c", emptyDir: {} },
  ];
  const { secrets, configMaps, tokens } = payloadReferences(volumes);
  assert.deepEqual(
    [[...secrets], [...configMaps], [...tokens.values()]],
    [["s1", "s2"], ["m"], [{ audience: "", lifetimeSeconds: 3600 }]],
  );
  assert.equal(hasLivePayload(volumes), true);
  assert.equal(hasLivePayload([{ name: "c", emptyDir: {} }]), false);
});
