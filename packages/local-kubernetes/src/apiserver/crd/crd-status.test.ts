import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { crdStatus } from "./crd-status.ts";
import type { CrdNames, CrdStatus, CustomResourceDefinition } from "./custom-resource-definition.ts";

const now = new Date("2024-01-01T12:00:00.123Z");
const cats: CrdNames = { plural: "cats", singular: "cat", kind: "Cat", listKind: "CatList", shortNames: ["c"] };

describe("the status of a CRD", () => {
  test("says that the names are accepted and the kind is served", () => {
    assert.deepEqual(crdStatus(aCrd(cats), now), {
      conditions: [
        {
          lastTransitionTime: "2024-01-01T12:00:00Z",
          type: "NamesAccepted",
          status: "True",
          reason: "NoConflicts",
          message: "no conflicts found",
        },
        {
          lastTransitionTime: "2024-01-01T12:00:00Z",
          type: "Established",
          status: "True",
          reason: "InitialNamesAccepted",
          message: "the initial names have been accepted",
        },
      ],
      acceptedNames: { kind: "Cat", listKind: "CatList", plural: "cats", shortNames: ["c"], singular: "cat" },
      storedVersions: ["v1"],
    });
  });

  test("keeps the time of conditions that stay, and versions that were once stored", () => {
    const status = { ...crdStatus(aCrd(cats), new Date(0)), storedVersions: ["v0"] };
    const later = crdStatus({ ...aCrd(cats), status }, now);
    assert.deepEqual(
      later.conditions?.map(({ lastTransitionTime }) => lastTransitionTime),
      ["1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"],
    );
    assert.deepEqual(later.storedVersions, ["v0", "v1"]);
  });

  test("refuses names that another CRD of the group has, and does not serve the kind", () => {
    const other = { ...aCrd(cats), status: crdStatus(aCrd(cats), now) };
    const late = { plural: "lions", singular: "cat", kind: "Cat", listKind: "CatList", shortNames: ["c", "cats"] };
    const status = crdStatus(aCrd(late), now, [other]);
    assert.deepEqual(facts(status), [
      ["NamesAccepted", "False", "ListKindConflict", '"CatList" is already in use'],
      ["Established", "False", "NotAccepted", "not all names are accepted"],
    ]);
    assert.deepEqual(status.acceptedNames, { kind: "", plural: "lions" });
  });

  test("does not stop serving a kind whose new name is taken", () => {
    const mine = { ...aCrd({ ...cats, shortNames: ["dog"] }), status: crdStatus(aCrd(cats), now) };
    const dogs = { plural: "dogs", singular: "dog", kind: "Dog", listKind: "DogList" };
    const status = crdStatus(mine, now, [{ ...aCrd(dogs), status: crdStatus(aCrd(dogs), now) }]);
    assert.deepEqual(
      facts(status).map(([, is, why]) => [is, why]),
      [
        ["False", "ShortNamesConflict"],
        ["True", "InitialNamesAccepted"],
      ],
    );
    assert.deepEqual(status.acceptedNames?.shortNames, ["c"]);
  });
});

function aCrd(names: CrdNames): CustomResourceDefinition {
  const schema = { openAPIV3Schema: { type: "object" } };
  return {
    metadata: { name: `${names.plural}.a.example.com` },
    spec: {
      group: "a.example.com",
      scope: "Namespaced",
      names,
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}

function facts({ conditions = [] }: CrdStatus) {
  return conditions.map(({ type, status, reason, message }) => [type, status, reason, message]);
}
