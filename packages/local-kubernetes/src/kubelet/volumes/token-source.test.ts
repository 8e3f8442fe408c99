import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { KubernetesError } from "@etcd-operator/kubernetes-client";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import { KubeletError } from "../kubelet-error.ts";
import { renewalOf, TokenSource } from "./token-source.ts";

const HOUR = 3_600_000;
const pod = {
  metadata: { name: "a", namespace: "ns", uid: "u1", resourceVersion: "1" },
  spec: { serviceAccountName: "robot", containers: [] },
} as unknown as Stored<Pod>;
const wish = { audience: "", lifetimeSeconds: 3600 };

/** An API server that numbers the tokens it gives out, while it works. */
function aTokenServer(clock: FakeClock) {
  const asked: { path: string; body: unknown }[] = [];
  const server = {
    asked,
    isBroken: false,
    async request<Answer>(_: string, path: string, options: { body?: unknown } = {}): Promise<Answer> {
      if (server.isBroken) throw new KubernetesError("unavailable", { operation: "POST", message: "not reached" });
      asked.push({ path, body: options.body });
      const expirationTimestamp = new Date(clock.now() + HOUR).toISOString();
      return { status: { token: `token-${asked.length}`, expirationTimestamp } } as Answer;
    },
  };
  return server;
}

describe("a pod's token", () => {
  test("is asked for in the name of the pod's account, and bound to the pod", async () => {
    const clock = new FakeClock();
    const server = aTokenServer(clock);
    await new TokenSource(server, clock).tokenFor(pod, { audience: "vault", lifetimeSeconds: 600 });
    assert.deepEqual(server.asked, [
      {
        path: "/api/v1/namespaces/ns/serviceaccounts/robot/token",
        body: {
          apiVersion: "authentication.k8s.io/v1",
          kind: "TokenRequest",
          spec: {
            audiences: ["vault"],
            expirationSeconds: 600,
            boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "a", uid: "u1" },
          },
        },
      },
    ]);
  });

  test("is renewed at four fifths of its life, and not before", async () => {
    const clock = new FakeClock();
    const tokens = new TokenSource(aTokenServer(clock), clock);
    assert.equal(await tokens.tokenFor(pod, wish), "token-1");
    assert.equal(tokens.renewAt("u1"), clock.now() + 0.8 * HOUR);
    await clock.advance(0.8 * HOUR - 1);
    assert.equal(await tokens.tokenFor(pod, wish), "token-1");
    await clock.advance(1);
    assert.equal(await tokens.tokenFor(pod, wish), "token-2");
  });

  test("is renewed when the clock was set back, for it may not be good yet", async () => {
    const clock = new FakeClock();
    const server = aTokenServer(clock);
    const tokens = new TokenSource(server, clock);
    await tokens.tokenFor(pod, wish);
    await clock.advance(-1);
    assert.equal(await tokens.tokenFor(pod, wish), "token-2");
    server.isBroken = true;
    await clock.advance(-1);
    assert.equal(await tokens.tokenFor(pod, wish), "token-2");
    assert.equal(tokens.renewAt("u1"), clock.now() + 10_000);
  });

  test("stays while a new one cannot be had, until it has expired", async () => {
    const clock = new FakeClock();
    const server = aTokenServer(clock);
    const tokens = new TokenSource(server, clock);
    await tokens.tokenFor(pod, wish);
    server.isBroken = true;
    await clock.advance(0.9 * HOUR);
    assert.equal(await tokens.tokenFor(pod, wish), "token-1");
    await clock.advance(0.1 * HOUR);
    await assert.rejects(
      tokens.tokenFor(pod, wish),
      (error) => error instanceof KubeletError && error.message.startsWith("failed to fetch token: "),
    );
  });

  test("is not given out for another audience, another pod, or the pod after it", async () => {
    const clock = new FakeClock();
    const tokens = new TokenSource(aTokenServer(clock), clock);
    const other = { ...pod, metadata: { ...pod.metadata, uid: "u2" } };
    assert.equal(await tokens.tokenFor(pod, wish), "token-1");
    assert.equal(await tokens.tokenFor(pod, { ...wish, audience: "vault" }), "token-2");
    assert.equal(await tokens.tokenFor(other, wish), "token-3");
    tokens.forget("u1");
    assert.equal(await tokens.tokenFor(pod, wish), "token-4");
  });
});

test("a token that would live for a month is renewed after a day", () => {
  assert.equal(renewalOf(0, 30 * 24 * HOUR), 24 * HOUR);
});
