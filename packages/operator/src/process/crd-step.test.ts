import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import type { CustomResourceDefinition } from "kubernetes-types/apiextensions/v1.d.ts";
import { describe, test } from "vitest";
import { customResourceDefinition } from "../api/crd/custom-resource-definition.ts";
import { kinds } from "../api/kinds.ts";
import { crdStep } from "./crd-step.ts";

const REVISION = "etcd.database.coreos.com/schema-revision";
const wanted = customResourceDefinition(kinds.EtcdCluster);
const ours = Number(wanted.metadata?.annotations?.[REVISION]);
const established = { type: "Established", status: "True" };

interface Facts {
  readonly revision?: string;
  readonly conditions?: { type: string; status: string; message?: string }[];
  readonly deletionTimestamp?: string;
  readonly spec?: Partial<CustomResourceDefinition["spec"]>;
}

/** A CRD as the API server stores it, served and of no revision by default. */
function aCrd({ revision, conditions = [established], deletionTimestamp, spec }: Facts = {}) {
  return {
    ...wanted,
    metadata: {
      name: "etcdclusters.etcd.database.coreos.com",
      uid: "1",
      resourceVersion: "7",
      creationTimestamp: "2020-01-01T00:00:00Z",
      annotations: { mine: "kept", ...(revision !== undefined && { [REVISION]: revision }) },
      ...(deletionTimestamp && { deletionTimestamp }),
    },
    spec: { ...wanted.spec, ...spec },
    status: { conditions },
  } as Stored<CustomResourceDefinition>;
}

describe("a CRD", () => {
  test("that is not there is created", () => {
    assert.deepEqual(crdStep(wanted, undefined), { kind: "create" });
  });

  test("of our revision that is served is ready", () => {
    assert.deepEqual(crdStep(wanted, aCrd({ revision: String(ours) })), { kind: "ready" });
  });

  test("of an older revision, or of none, is replaced under its version, and keeps what others noted on it", () => {
    for (const stored of [aCrd(), aCrd({ revision: String(ours - 1) })]) {
      const step = crdStep(wanted, stored);
      assert.ok(step.kind === "update");
      assert.deepEqual(step.object.spec, wanted.spec);
      assert.equal(step.object.metadata.resourceVersion, "7");
      assert.deepEqual(step.object.metadata.annotations, { mine: "kept", [REVISION]: String(ours) });
    }
  });

  test("that was born as v1beta1 does not keep unknown fields any more", () => {
    const step = crdStep(wanted, aCrd({ spec: { preserveUnknownFields: true } }));
    assert.equal(step.kind === "update" && step.object.spec.preserveUnknownFields, false);
  });

  test("of a newer revision is never replaced", () => {
    const step = crdStep(wanted, aCrd({ revision: String(ours + 1) }));
    assert.ok(step.kind === "ready");
    assert.match(step.left ?? "", /is newer than our/);
  });

  test("of a newer revision is compared as a number", () => {
    assert.equal(crdStep(wanted, aCrd({ revision: "10" })).kind, "ready");
    assert.equal(crdStep(customised("10"), aCrd({ revision: "9" })).kind, "update");
  });

  test("of a revision that we cannot read is never replaced", () => {
    assert.equal(crdStep(wanted, aCrd({ revision: "2b" })).kind, "ready");
  });

  test("that is being deleted is waited for", () => {
    const step = crdStep(wanted, aCrd({ deletionTimestamp: "2030-01-01T00:00:00Z" }));
    assert.deepEqual(step, { kind: "wait", for: "the previous one to be deleted" });
  });

  test("that is not served yet is waited for, ours as well as a newer one", () => {
    for (const revision of [String(ours), String(ours + 1)]) {
      assert.equal(crdStep(wanted, aCrd({ revision, conditions: [] })).kind, "wait");
    }
  });

  test("whose names another one has is waited for, and that is said", () => {
    const conditions = [{ type: "NamesAccepted", status: "False", message: "'etcd' is already in use" }];
    const step = crdStep(wanted, aCrd({ revision: String(ours), conditions }));
    assert.deepEqual(step, { kind: "wait", for: "its names to be accepted: 'etcd' is already in use" });
  });
});

function customised(revision: string): CustomResourceDefinition {
  return { ...wanted, metadata: { ...wanted.metadata, annotations: { [REVISION]: revision } } };
}
