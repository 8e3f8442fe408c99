import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { crdStatus } from "./crd-status.ts";
import type { CrdNames, CrdStatus, CustomResourceDefinition } from "./custom-resource-definition.ts";
import { validateCrd } from "./definition/validate-crd.ts";

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

describe("an update of a CRD", () => {
  const old = { ...aCrd(cats), status: crdStatus(aCrd(cats), now) };

  test("may not change what objects are stored under", () => {
    const changed = aCrd({ ...cats, plural: "lions", kind: "Lion" }, { group: "b.example.com", scope: "Cluster" });
    assert.deepEqual(causes(validateCrd(changed, old)), [
      'spec.group: Invalid value: "b.example.com": field is immutable',
      'spec.names.kind: Invalid value: "Lion": field is immutable',
      'spec.names.plural: Invalid value: "lions": field is immutable',
      'spec.scope: Invalid value: "Cluster": field is immutable',
    ]);
  });

  test("may not drop a version that objects may be stored in", () => {
    const [version] = aCrd(cats).spec.versions;
    assert.ok(version);
    const [cause] = causes(validateCrd(aCrd(cats, { versions: [{ ...version, name: "v2" }] }), old));
    assert.match(cause ?? "", /^status\.storedVersions\[0\]: Invalid value: "v1": missing from spec\.versions; v1 was/);
  });

  test("that changes nothing is fine", () => {
    assert.deepEqual(validateCrd(aCrd(cats), old), []);
  });
});

function aCrd(names: CrdNames, spec: Partial<CustomResourceDefinition["spec"]> = {}): CustomResourceDefinition {
  const schema = { openAPIV3Schema: { type: "object" } };
  return {
    metadata: { name: `${names.plural}.a.example.com` },
    spec: {
      group: "a.example.com",
      scope: "Namespaced",
      names,
      versions: [{ name: "v1", served: true, storage: true, schema }],
      ...spec,
    },
  };
}

function facts({ conditions = [] }: CrdStatus) {
  return conditions.map(({ type, status, reason, message }) => [type, status, reason, message]);
}

function causes(found: ReturnType<typeof validateCrd>): string[] {
  return found.map(({ field, message }) => `${field}: ${message}`).sort();
}
