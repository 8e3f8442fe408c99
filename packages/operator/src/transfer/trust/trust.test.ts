import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { KubernetesError, type KubernetesErrorCode } from "@etcd-operator/kubernetes-client";
import { describe, expect, test } from "vitest";
import { trustOf } from "./trust.ts";

const { signal } = new AbortController();

function client(answer: Record<string, string> | KubernetesErrorCode) {
  const asked: unknown[] = [];
  const get = async (_: unknown, ref: unknown) => {
    asked.push(ref);
    if (typeof answer === "string") throw new KubernetesError(answer, { operation: "GET", message: answer });
    return { metadata: { annotations: answer } };
  };
  return { get: get as unknown as KubeClient["get"], asked };
}
const trusts = (api: ReturnType<typeof client>, namespace: string, ...named: string[]) =>
  trustOf(api, "operator", { trustedNamespaces: named, allowsLoopback: false }).isTrusted(namespace, signal);

describe("a namespace is trusted", () => {
  test("when it is the operator's own or named by a flag, and the API server is not asked", async () => {
    const api = client("unavailable");
    expect(await trusts(api, "operator")).toBe(true);
    expect(await trusts(api, "a", "a", "b")).toBe(true);
    expect(await trusts(api, "any", "*")).toBe(true);
    expect(api.asked).toEqual([]);
  });

  test("when it bears the annotation", async () => {
    const api = client({ "etcd.database.coreos.com/trusted": "true" });
    expect(await trusts(api, "tenant", "a")).toBe(true);
    expect(api.asked).toEqual([{ name: "tenant" }]);
  });

  test.each<[string, Record<string, string> | KubernetesErrorCode]>([
    ["it bears none", {}],
    ["the annotation says otherwise", { "etcd.database.coreos.com/trusted": "false" }],
    ["the annotation says something else", { "etcd.database.coreos.com/trusted": "yes" }],
    ["it is not there", "not-found"],
    ["the operator may not read Namespaces", "forbidden"],
  ])("but not when %s", async (_, answer) => {
    expect(await trusts(client(answer), "tenant", "operators", "tenan")).toBe(false);
  });

  test("but it is not known while the API server does not answer", async () => {
    await expect(trusts(client("unavailable"), "tenant")).rejects.toMatchObject({ code: "unavailable" });
  });
});
