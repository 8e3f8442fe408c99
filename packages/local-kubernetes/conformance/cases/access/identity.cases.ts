import { describe, expect, test } from "vitest";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget, KubeObject } from "../../target.ts";

const authentication = "/apis/authentication.k8s.io/v1";

interface TokenRequest extends KubeObject {
  readonly spec: { readonly audiences: string[]; readonly expirationSeconds: number };
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

export function identityCases(target: () => ConformanceTarget): void {
  describe("the token of a ServiceAccount", () => {
    const at = scopeOf(target);
    const ask = async (name: string, spec: object) =>
      at().rest<TokenRequest>("POST", at().path("serviceaccounts", `${name}/token`), { spec });
    const review = async (spec: object) =>
      expectCode(
        201,
        await at().rest<{ status: { authenticated?: boolean; user: object; error?: string; audiences?: string[] } }>(
          "POST",
          `${authentication}/tokenreviews`,
          { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec },
        ),
      ).status;

    test("lives as long as was asked for, an hour if nothing was", async () => {
      expect(expectCode(201, await ask("default", {})).spec).toMatchObject({ expirationSeconds: 3600 });
      const { spec, status } = expectCode(201, await ask("default", { expirationSeconds: 600 }));
      expect(spec.expirationSeconds).toBe(600);
      expect(Date.parse(status.expirationTimestamp)).toBeGreaterThan(Date.now() + 500_000);
      expect(claimsOf(status.token)).toMatchObject({
        sub: `system:serviceaccount:${at().namespace}:default`,
        aud: spec.audiences,
        "kubernetes.io": { namespace: at().namespace, serviceaccount: { name: "default" } },
      });
    });

    test.each<[number, string]>([
      [10, "may not specify a duration less than 10 minutes"],
      [5_000_000_000, "may not specify a duration larger than 2^32 seconds"],
    ])("of %i seconds is refused", async (expirationSeconds, why) => {
      const { code, body } = await ask("default", { expirationSeconds });
      expect(code).toBe(422);
      const message = `spec.expirationSeconds: Invalid value: ${expirationSeconds}: ${why}`;
      expect(body.message).toBe(`TokenRequest.authentication.k8s.io "" is invalid: ${message}`);
    });

    test("of an account that is not there is a 404", async () => {
      const { code, body } = await ask("missing", {});
      expect(code).toBe(404);
      expect(body.message).toBe('serviceaccounts "missing" not found');
    });

    test("may be bound to a pod of the account, and tells which", async () => {
      await at().create("serviceaccounts", { metadata: { name: "bound" } });
      const pod = await at().create("pods", aPod("bound", "bound"));
      const boundObjectRef = { kind: "Pod", apiVersion: "v1", name: "bound", uid: pod.metadata?.uid };
      const { status } = expectCode(201, await ask("bound", { boundObjectRef }));
      expect(await review({ token: status.token })).toMatchObject({
        authenticated: true,
        user: {
          username: `system:serviceaccount:${at().namespace}:bound`,
          extra: {
            "authentication.kubernetes.io/pod-name": ["bound"],
            "authentication.kubernetes.io/pod-uid": [pod.metadata?.uid],
          },
        },
      });
    });

    test("bound to a pod is worth nothing once that is gone", async () => {
      const pod = await at().create("pods", aPod("brief", "default"));
      const boundObjectRef = { kind: "Pod", apiVersion: "v1", name: "brief", uid: pod.metadata?.uid };
      const { status } = expectCode(201, await ask("default", { boundObjectRef }));
      await at().rest("DELETE", `${at().path("pods", "brief")}?gracePeriodSeconds=0`);
      const { restWithToken } = target();
      const code = async () => (await restWithToken(status.token)("GET", "/api/v1")).code;
      await expect.poll(code, { timeout: 15_000, interval: 50 }).toBe(401);
    });

    test.each<[string, object, number, string]>([
      ["a pod that is not there", { kind: "Pod", apiVersion: "v1", name: "none" }, 404, 'pods "none" not found'],
      [
        "a Secret that is not there",
        { kind: "Secret", apiVersion: "v1", name: "none" },
        404,
        'secrets "none" not found',
      ],
      [
        "another kind",
        { kind: "ConfigMap", apiVersion: "v1", name: "x" },
        400,
        "cannot bind token to object of type /v1, Kind=ConfigMap",
      ],
    ])("is not bound to %s", async (_, boundObjectRef, code, message) => {
      const answer = await ask("default", { boundObjectRef });
      expect([answer.code, answer.body.message]).toEqual([code, message]);
    });

    test("is not bound to a pod of another account, nor to another pod of the name", async () => {
      await at().create("pods", aPod("foreign", "default"));
      await at().create("serviceaccounts", { metadata: { name: "other" } });
      const boundObjectRef = { kind: "Pod", apiVersion: "v1", name: "foreign" };
      expect((await ask("other", { boundObjectRef })).body.message).toBe(
        'cannot bind token for serviceaccount "other" to pod running with different serviceaccount name.',
      );
      const { code, body } = await ask("default", { boundObjectRef: { ...boundObjectRef, uid: "another" } });
      expect([code, body.reason]).toEqual([409, "Conflict"]);
    });

    test("for another audience is not for the API server, which can still say whose it is", async () => {
      const { status } = expectCode(201, await ask("default", { audiences: ["vault"] }));
      expect((await target().restWithToken(status.token)("GET", "/api/v1")).code).toBe(401);
      expect(await review({ token: status.token, audiences: ["vault", "x"] })).toMatchObject({
        authenticated: true,
        audiences: ["vault"],
      });
      const refused = await review({ token: status.token, audiences: ["x"] });
      expect(refused.authenticated ?? false).toBe(false);
      expect(refused.error).toBe(
        '[invalid bearer token, token audiences ["vault"] is invalid for the target audiences ["x"]]',
      );
    });

    test("that is none is told so, and none at all is refused", async () => {
      expect(await review({ token: "forged" })).toEqual({ user: {}, error: "invalid bearer token" });
      const { code, body } = await at().rest("POST", `${authentication}/tokenreviews`, { spec: {} });
      expect([code, body.message]).toEqual([400, "token is required for TokenReview in authentication"]);
    });

    test("can be checked with the keys that the server publishes to ServiceAccounts", async () => {
      const { status } = expectCode(201, await ask("default", {}));
      const asAccount = target().restWithToken(status.token);
      const issuer = expectCode(200, await asAccount("GET", "/.well-known/openid-configuration"));
      expect(issuer).toMatchObject({ issuer: claimsOf(status.token).iss, subject_types_supported: ["public"] });
      const headers = { accept: "application/jwk-set+json" };
      const answer = await asAccount<{ keys: { kid: string }[] }>("GET", "/openid/v1/jwks", undefined, { headers });
      const { keys } = expectCode(200, answer);
      expect(keys.map(({ kid }) => kid)).toContain(partOf(status.token, 0).kid);
      expect((await target().restWithoutCredentials("GET", "/openid/v1/jwks")).code).toBe(403);
    });
  });
}

function aPod(name: string, serviceAccountName: string): KubeObject {
  const containers = [{ name: "c", image: "none" }];
  return { metadata: { name }, spec: { serviceAccountName, schedulerName: "none", containers } };
}

function claimsOf(token: string): Record<string, unknown> {
  return partOf(token, 1);
}

function partOf(token: string, index: number): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split(".")[index] ?? "", "base64url").toString("utf8"));
}
