import assert from "node:assert/strict";
import { customResourceDefinition } from "@etcd-operator/operator/api/crd/custom-resource-definition.ts";
import { API_VERSION, VERSION } from "@etcd-operator/operator/api/group.ts";
import { type KindName, kinds } from "@etcd-operator/operator/api/kinds.ts";
import { describe, test } from "vitest";
import type { AdmissionCase, Resource } from "../../../../../test/admission/admission-case.ts";
import { backupCases } from "../../../../../test/admission/backup.cases.ts";
import { clusterCases } from "../../../../../test/admission/cluster.cases.ts";
import { type RuleTree, ruleTree } from "./cel/rule-tree.ts";
import { compileCrd } from "./compile-crd.ts";
import type { CustomResourceDefinition } from "./custom-resource-definition.ts";
import { itemsOf, type JsonObject, type Schema, valuesOf } from "./schema.ts";
import { validateCrd } from "./validate-crd.ts";
import { validateValue } from "./value-validation.ts";

// The CRDs go over the wire, so that what is undefined is absent.
const crds = Object.values(kinds).map(
  (kind) => JSON.parse(JSON.stringify(customResourceDefinition(kind))) as CustomResourceDefinition,
);
const versions = new Map(
  crds.map((crd) => [crd.spec.names.kind as KindName, compileCrd(crd).versions.get(VERSION)] as const),
);

const schemas = crds.flatMap(({ spec }) => spec.versions.flatMap(({ schema }) => schema?.openAPIV3Schema ?? []));

test("our CRDs are accepted", () => {
  assert.deepEqual(
    crds.flatMap((crd) => validateCrd(crd)),
    [],
  );
});

test("all rules of our CRDs and their messages compile", () => {
  const rules = schemas.flatMap((schema) => rulesIn(ruleTree(schema, true)));
  assert.ok(rules.length > 50);
  const isBroken = ({ expression, message, source }: (typeof rules)[number]) =>
    !expression || (source.messageExpression !== undefined && !message);
  assert.deepEqual(
    rules.filter(isBroken).map(({ source, error }) => [source, error]),
    [],
  );
});

test("our CRDs say of each value what it is, and their defaults fit", () => {
  const nodes = schemas.flatMap(nodesOf);
  assert.deepEqual(
    nodes.filter((node) => node.type === undefined && !node["x-kubernetes-int-or-string"]),
    [],
  );
  const defaults = nodes.filter((node) => node.default !== undefined);
  assert.deepEqual(
    defaults.flatMap((node) => validateValue(node, node.default, "").causes),
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

function rulesIn(tree: RuleTree | undefined): RuleTree["rules"] {
  if (!tree) return [];
  return [...tree.rules, ...[...tree.properties.values(), tree.values, tree.items].flatMap(rulesIn)];
}

function nodesOf(schema: Schema): Schema[] {
  const below = [...Object.values(schema.properties ?? {}), valuesOf(schema), itemsOf(schema)];
  return [schema, ...below.flatMap((each) => (each ? nodesOf(each) : []))];
}
