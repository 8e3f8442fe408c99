import { describe, expect, test } from "vitest";
import { expectCode } from "../../scope.ts";
import type { ConformanceTarget } from "../../target.ts";

export function accessCases(target: () => ConformanceTarget): void {
  describe("access", () => {
    test("an unknown token is answered with 401 and a Status that says Unauthorized", async () => {
      const { code, body } = await target().restWithToken("forged")("GET", "/api/v1/namespaces");
      expect(code).toBe(401);
      expect(body).toMatchObject({
        kind: "Status",
        apiVersion: "v1",
        status: "Failure",
        reason: "Unauthorized",
        message: "Unauthorized",
        code: 401,
      });
    });

    // A server that lets anonymous users in as such then forbids them everything: 403 instead of 401.
    test("without credentials nothing can be listed, and the answer is a Status", async () => {
      const { code, body } = await target().restWithoutCredentials("GET", "/api/v1/namespaces");
      expect([401, 403]).toContain(code);
      expect(body).toMatchObject({ kind: "Status", apiVersion: "v1", status: "Failure", code });
    });

    test("without credentials nothing can be created", async () => {
      const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "intruder" } };
      const { code } = await target().restWithoutCredentials("POST", "/api/v1/namespaces", namespace);
      expect([401, 403]).toContain(code);
      expect((await target().rest("GET", "/api/v1/namespaces/intruder")).code).toBe(404);
    });

    test.each(["/healthz", "/livez", "/readyz"])("%s says ok without credentials", async (path) => {
      const { code, text } = await target().restWithoutCredentials("GET", path);
      expect({ code, text }).toEqual({ code: 200, text: "ok" });
    });

    test("/version tells the major, minor and git version", async () => {
      const { body } = await target().rest("GET", "/version");
      expect(body).toMatchObject({
        major: "1",
        minor: expect.stringMatching(/^\d+/),
        gitVersion: expect.stringMatching(/^v1\.\d+\.\d+/),
      });
    });

    test("the token of a ServiceAccount is taken, and the server knows whose it is", async () => {
      const { rest, freshNamespace, restWithToken } = target();
      const namespace = await freshNamespace();
      const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
      const path = `/api/v1/namespaces/${namespace}/serviceaccounts/default/token`;
      const { status } = expectCode(201, await rest<{ status: { token: string } }>("POST", path, request));
      const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
      const reviews = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
      const asked = expectCode(201, await restWithToken(status.token)("POST", reviews, review));
      const username = `system:serviceaccount:${namespace}:default`;
      expect(asked).toMatchObject({ status: { userInfo: { username } } });
    });

    test("the administrator may do everything, and a SelfSubjectAccessReview says so", async () => {
      const review = {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SelfSubjectAccessReview",
        spec: { resourceAttributes: { verb: "delete", resource: "nodes" } },
      };
      const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
      expect(expectCode(201, await target().rest("POST", path, review))).toMatchObject({ status: { allowed: true } });
    });
  });
}
