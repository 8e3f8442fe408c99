import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { impersonationOf, WithoutUser } from "./impersonation.ts";

const of = (headersDistinct: Record<string, string[]>) => impersonationOf({ headersDistinct });

describe("a request", () => {
  test("without the headers comes from its sender", () => {
    assert.equal(of({ authorization: ["Bearer x"] }), undefined);
  });

  test("may name user, groups, uid and extras, each of which needs a right", () => {
    const found = of({
      "impersonate-user": ["jane"],
      "impersonate-group": ["dev", "ops"],
      "impersonate-uid": ["7"],
      "impersonate-extra-acme.com%2Fproject": ["a"],
    });
    assert.deepEqual(found?.user, {
      username: "jane",
      uid: "7",
      groups: ["dev", "ops", "system:authenticated"],
      extra: { "acme.com/project": ["a"] },
    });
    assert.deepEqual(
      found?.needs.map(({ group, resource, subresource, name }) => [group, resource, subresource, name].join(" ")),
      [
        " users  jane",
        " groups  dev",
        " groups  ops",
        "authentication.k8s.io userextras acme.com/project a",
        "authentication.k8s.io uids  7",
      ],
    );
  });

  test("as a ServiceAccount is one of that account's groups, and needs a right in its namespace", () => {
    const found = of({ "impersonate-user": ["system:serviceaccount:ns:robot"] });
    assert.deepEqual(found?.user.groups, [
      "system:serviceaccounts",
      "system:serviceaccounts:ns",
      "system:authenticated",
    ]);
    assert.deepEqual(
      found?.needs.map(({ resource, namespace, name }) => [resource, namespace, name]),
      [["serviceaccounts", "ns", "robot"]],
    );
  });

  test("without a user is not authenticated", () => {
    assert.deepEqual(of({ "impersonate-user": ["system:anonymous"] })?.user.groups, ["system:unauthenticated"]);
  });

  test("that names a group and no user is a mistake", () => {
    assert.throws(() => of({ "impersonate-group": ["dev"] }), WithoutUser);
  });
});
