import assert from "node:assert/strict";
import { judge } from "@etcd-operator/operator/api/schema/judge.ts";
import { describe, test } from "vitest";
import { withValue } from "../at-path.ts";
import { type Property, propertiesOf } from "../property.ts";
import { specWith, valuesOf } from "./entry.ts";
import { TEMPLATE_SPEC, templateEntries } from "./template-entries.ts";

const inTemplates = propertiesOf("EtcdRestore").filter(({ path }) => templateEntries[path] !== undefined);
const problemsWith = (spec: object) => {
  const judged = judge("EtcdRestore", { metadata: { name: "b" }, spec });
  return judged.kind === "valid" ? [] : judged.problems.map(({ field }) => field);
};

describe("the template of a restore", () => {
  test("is good to begin with", () => {
    assert.deepEqual(problemsWith(TEMPLATE_SPEC), []);
  });

  test("is good with every value that works, so that none is refused for what lies beside it", () => {
    assert.deepEqual(inTemplates.flatMap(wrongWith), []);
  });
});

function wrongWith(property: Property): readonly string[] {
  const entry = templateEntries[property.path] ?? {};
  const works = valuesOf(property, entry).filter(({ fate }) => fate === "works");
  return works.flatMap(({ name, value }) => {
    const spec = withValue(specWith(TEMPLATE_SPEC, entry.along), property.path, value, entry.mapKey);
    return problemsWith(spec).map((field) => `${property.path} = '${name}': ${field}`);
  });
}
