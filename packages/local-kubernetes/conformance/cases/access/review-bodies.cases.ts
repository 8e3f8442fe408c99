import { describe, expect, test } from "vitest";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget } from "../../target.ts";

const AUTHORIZATION = "/apis/authorization.k8s.io/v1";
const AUTHENTICATION = "/apis/authentication.k8s.io/v1";
const resourceAttributes = { verb: "get", resource: "pods" };

/** What is only sent, and never stored, is read as strictly as what is. */
export function reviewBodyCases(target: () => ConformanceTarget): void {
  describe("a request for a token", () => {
    const at = scopeOf(target);
    const ask = (body: object) => at().rest("POST", `${at().path("serviceaccounts", "default")}/token`, body);

    test.each<[unknown, string]>([
      [{ expirationSeconds: "x" }, "string into Go struct field TokenRequestSpec.spec.expirationSeconds of type int64"],
      [
        { expirationSeconds: 700.5 },
        "number 700.5 into Go struct field TokenRequestSpec.spec.expirationSeconds of type int64",
      ],
      [{ audiences: [1] }, "number into Go struct field TokenRequestSpec.spec.audiences of type string"],
      [{ audiences: "a" }, "string into Go struct field TokenRequestSpec.spec.audiences of type []string"],
      [
        { boundObjectRef: { kind: 5 } },
        "number into Go struct field BoundObjectReference.spec.boundObjectRef.kind of type string",
      ],
      [5, "number into Go struct field TokenRequest.spec of type v1.TokenRequestSpec"],
    ])("with %j is refused", async (spec, why) => {
      const { code, body } = await ask({ spec });
      const message = `TokenRequest in version "v1" cannot be handled as a TokenRequest: json: cannot unmarshal ${why}`;
      expect([code, body.message]).toEqual([400, message]);
    });

    test("is not bound to an object of no kind", async () => {
      const { code, body } = await ask({ spec: { boundObjectRef: {} } });
      expect([code, body.message]).toEqual([400, "cannot bind token to object of type /, Kind="]);
    });

    test("needs to be one", async () => {
      const { code, body } = await ask({ apiVersion: "v1", kind: "Pod", spec: {} });
      const why = "converting (v1.Pod) to (authentication.TokenRequest): unknown conversion";
      expect([code, body.message]).toEqual([400, `Pod in version "v1" cannot be handled as a TokenRequest: ${why}`]);
      expectCode(201, await ask({}));
    });
  });

  describe("a review", () => {
    test.each<[string, string, unknown, string]>([
      [
        `${AUTHORIZATION}/subjectaccessreviews`,
        "SubjectAccessReview",
        { user: 5, resourceAttributes },
        "number into Go struct field SubjectAccessReviewSpec.spec.user of type string",
      ],
      [
        `${AUTHORIZATION}/subjectaccessreviews`,
        "SubjectAccessReview",
        { groups: "system:masters", resourceAttributes },
        "string into Go struct field SubjectAccessReviewSpec.spec.groups of type []string",
      ],
      [
        `${AUTHORIZATION}/subjectaccessreviews`,
        "SubjectAccessReview",
        { user: "a", resourceAttributes: "x" },
        "string into Go struct field SubjectAccessReviewSpec.spec.resourceAttributes of type v1.ResourceAttributes",
      ],
      [
        `${AUTHORIZATION}/selfsubjectaccessreviews`,
        "SelfSubjectAccessReview",
        { resourceAttributes: { verb: 5 } },
        "number into Go struct field ResourceAttributes.spec.resourceAttributes.verb of type string",
      ],
      [
        `${AUTHENTICATION}/tokenreviews`,
        "TokenReview",
        { token: 5 },
        "number into Go struct field TokenReviewSpec.spec.token of type string",
      ],
      [
        `${AUTHENTICATION}/tokenreviews`,
        "TokenReview",
        { token: "a", audiences: [1] },
        "number into Go struct field TokenReviewSpec.spec.audiences of type string",
      ],
    ])("at %s, a %s with %j is refused", async (path, kind, spec, why) => {
      const { code, body } = await target().rest("POST", path, { spec });
      const message = `${kind} in version "v1" cannot be handled as a ${kind}: json: cannot unmarshal ${why}`;
      expect([code, body.message]).toEqual([400, message]);
    });

    test("has no unknown fields, with strict validation", async () => {
      const path = `${AUTHORIZATION}/subjectaccessreviews?fieldValidation=Strict`;
      const { code, body } = await target().rest("POST", path, { spec: { user: "a", foo: 1, resourceAttributes } });
      expect(code).toBe(400);
      expect(body.message).toContain('strict decoding error: unknown field "spec.foo"');
    });
  });
}
