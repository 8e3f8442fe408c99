import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { findingsIn } from "./validate.ts";

const cluster = (size: number) => `apiVersion: etcd.database.coreos.com/v1beta2
kind: EtcdCluster
metadata: { name: example }
spec: { size: ${size} }
`;

describe("validating a file", () => {
  test("nothing is found in valid objects", () => {
    assert.deepEqual(findingsIn(`${cluster(3)}---\n${cluster(5)}`), []);
  });

  test("a bad object among good ones is found, with kind, name, field and value", () => {
    const [finding = "", ...more] = findingsIn(`${cluster(3)}---\n${cluster(9)}`);
    assert.deepEqual(more, []);
    assert.match(finding, /^EtcdCluster "example": spec\.size: 9: /);
  });

  test("a mistyped field is found, and the ones that Kubernetes may add are not", () => {
    assert.deepEqual(findingsIn(cluster(3).replace("size: 3", "size: 3, sise: 4, pod: { affinity: { new: 1 } }")), [
      'EtcdCluster "example": spec.sise: unknown field: correct its name or remove it',
    ]);
  });

  test("a name that the API server will make is no problem, unless it becomes too long", () => {
    const generated = (prefix: string) => cluster(3).replace("name: example", `generateName: ${prefix}`);
    assert.deepEqual(findingsIn(generated("nightly-")), []);
    assert.match(findingsIn(generated(`${"a".repeat(48)}-`))[0] ?? "", /at most 52/);
  });

  test("objects of others are left alone", () => {
    assert.deepEqual(findingsIn("apiVersion: v1\nkind: Pod\nspec: { size: 9 }\n"), []);
  });

  test("a kind that our group does not have is named", () => {
    assert.match(
      findingsIn("apiVersion: etcd.database.coreos.com/v1beta2\nkind: EtcdKluster\n")[0] ?? "",
      /EtcdKluster/,
    );
  });

  test("what is not YAML is said to be none", () => {
    assert.match(findingsIn("a: [1\n")[0] ?? "", /not YAML/);
  });

  test("an empty file has nothing wrong", () => {
    assert.deepEqual(findingsIn(""), []);
  });
});
