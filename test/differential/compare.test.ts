import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { unexplained } from "./accepted.ts";
import { compared } from "./compare.ts";
import { masked } from "./mask.ts";
import { filledIn, inWords, type Request } from "./request.ts";
import type { Said } from "./session.ts";

const request: Request = { method: "GET", path: "/api/v1/namespaces/@{ns}/pods" };
const namespaces = { real: "d1", local: "d2" };

function said(body: unknown, code = 200): Said {
  return { code, contentType: "application/json", warnings: [], body };
}

function differences(real: Said, local: Said) {
  return compared(request, { real, local, namespaces }).differences;
}

describe("a comparison", () => {
  test("does not see what differs every time", () => {
    const object = (ns: string, uid: string) => ({
      metadata: {
        name: "a",
        namespace: ns,
        uid,
        resourceVersion: uid.slice(0, 2),
        creationTimestamp: `20${uid.slice(0, 2)}`,
      },
      spec: { clusterIP: `10.0.3.${uid.length}` },
    });
    assert.deepEqual(differences(said(object("d1", "11-a")), said(object("d2", "22-bc"))), []);
  });

  test("sees another value, and one that is missing", () => {
    const found = differences(said({ spec: { a: 1, b: [1, 2] } }), said({ spec: { b: [1, 3] } }));
    assert.deepEqual(
      found.map(({ at }) => at),
      ["body.spec.a", "body.spec.b[1]"],
    );
  });

  test("stops at another code", () => {
    assert.deepEqual(
      differences(said({ a: 1 }), said({ a: 2 }, 404)).map(({ at }) => at),
      ["code"],
    );
  });

  test("sees warnings that one of them did not give", () => {
    const real = { ...said({}), warnings: ['299 - "x"'] };
    assert.deepEqual(
      differences(real, said({})).map(({ at }) => at),
      ["warnings"],
    );
  });

  test("does not mind in which order causes come", () => {
    const status = (...fields: string[]) => ({
      kind: "Status",
      message: `Pod "a" is invalid: [${fields.map((field) => `${field}: bad`).join(", ")}]`,
      details: { causes: fields.map((field) => ({ field, message: "bad", reason: "r" })) },
    });
    assert.deepEqual(differences(said(status("x", "y")), said(status("y", "x"))), []);
    assert.deepEqual(
      differences(said(status("x", "y")), said(status("x"))).map(({ at }) => at),
      ["body.details.causes"],
    );
  });
});

describe("an accepted difference", () => {
  test("is left out, and taken note of", () => {
    const used = new Set<string>();
    const columns = (description: string) => ({ columnDefinitions: [{ name: "A", description }] });
    const result = compared(request, { real: said(columns("x")), local: said(columns("y")), namespaces });
    assert.deepEqual(unexplained(result, used), []);
    assert.deepEqual([...used], ["descriptions of columns"]);
  });

  test("covers no other", () => {
    const result = compared(request, { real: said({ message: "x" }), local: said({ message: "y" }), namespaces });
    assert.equal(unexplained(result, new Set()).length, 1);
  });
});

describe("a request", () => {
  test("is filled in with what the server has given out", () => {
    const known = new Map([
      ["ns", "d1"],
      ["rv", "7"],
    ]);
    assert.deepEqual(filledIn({ path: "/@{ns}?v=@{rv}", deep: ["@{uid}"] }, known), {
      path: "/d1?v=7",
      deep: ["none"],
    });
  });

  test("can be read in one line", () => {
    const words = inWords({ method: "PUT", path: "/x", body: { kind: "edited", at: "/x", edits: { a: 1 } } });
    assert.equal(words, 'PUT /x </x with {"a":1}>');
  });
});

describe("a mask", () => {
  test("leaves what a user chose", () => {
    assert.deepEqual(masked({ name: "a", labels: { x: "2020-01-01T00:00:00Z" } }, "d1"), {
      name: "a",
      labels: { x: "2020-01-01T00:00:00Z" },
    });
  });
});
