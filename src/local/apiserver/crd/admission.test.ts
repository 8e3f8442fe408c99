import assert from "node:assert/strict";
import { describe, test } from "vitest";
import type { AdmissionCase, Resource } from "../../../../test/admission/admission-case.ts";
import { backupCases } from "../../../../test/admission/backup.cases.ts";
import { clusterCases } from "../../../../test/admission/cluster.cases.ts";
import { customResourceDefinition } from "../../../api/crd/custom-resource-definition.ts";
import { API_VERSION, VERSION } from "../../../api/group.ts";
import { type KindName, kinds } from "../../../api/kinds.ts";
import { compileCrd } from "./compile-crd.ts";
import type { CustomResourceDefinition } from "./custom-resource-definition.ts";
import { validateCrd } from "./definition/validate-crd.ts";
import type { JsonObject } from "./schema.ts";

// The CRDs go over the wire, so that what is undefined is absent.
const crds = Object.values(kinds).map(
  (kind) => JSON.parse(JSON.stringify(customResourceDefinition(kind))) as CustomResourceDefinition,
);
const versions = new Map(
  crds.map((crd) => [crd.spec.names.kind as KindName, compileCrd(crd).versions.get(VERSION)] as const),
);

test("our CRDs are taken, and all their rules compile", () => {
  assert.deepEqual(
    crds.flatMap((crd) => validateCrd(crd)),
    [],
  );
});

describe("the CRD machinery admits and refuses our kinds as a real API server does", () => {
  for (const given of [...clusterCases, ...backupCases]) {
    const isRefused = given.refused !== undefined && !given.refused.inCodeOnly;
    test(`${given.name} is ${isRefused ? "refused" : "allowed"}`, () => {
      const causes = submit(given);
      const message = causes.map((cause) => `${cause.field}: ${cause.message}`).join(", ");
      if (!isRefused) return assert.equal(message, "");
      assert.ok(causes.length > 0, "was allowed");
      for (const part of [given.refused.field, given.refused.value, given.refused.remedy]) {
        assert.ok(
          message.includes(part) || message.includes(JSON.stringify(part).slice(1, -1)),
          `no "${part}" in: ${message}`,
        );
      }
    });
  }
});

function submit({ kind, object, previous }: AdmissionCase) {
  const version = versions.get(kind);
  assert.ok(version);
  const arriving = (sent: Resource): JsonObject => {
    const { metadata, spec, status } = JSON.parse(JSON.stringify(sent)) as Resource;
    const resource = { apiVersion: API_VERSION, kind, metadata, spec, ...(status && { status }) };
    const { object: pruned, unknownFields } = version.prune(resource);
    assert.deepEqual(unknownFields, []);
    return version.applyDefaults(pruned);
  };
  if (!previous) return version.validate(arriving({ ...object, status: undefined } as unknown as Resource));
  const old = arriving(previous);
  return version.validate({ ...old, spec: arriving(object).spec }, old);
}
