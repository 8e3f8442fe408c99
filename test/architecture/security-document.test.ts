import { readFileSync } from "node:fs";
import { Environment } from "@marcbachmann/cel-js";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";

interface Policy {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly policyName?: string;
    readonly validations?: readonly { readonly expression: string; readonly message: string }[];
  };
}

const blocks = [...readFileSync("docs/security.md", "utf8").matchAll(/^```yaml\n([\s\S]*?)^```/gm)];
const objects = blocks.flatMap(([, yaml = ""]) =>
  parseAllDocuments(yaml, { strict: true }).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Policy;
  }),
);
const policies = objects.filter(({ kind }) => kind === "ValidatingAdmissionPolicy");

function refused(name: string, spec: object): string[] {
  const policy = policies.find(({ metadata }) => metadata.name === name);
  const environment = new Environment().registerVariable("object", "map");
  return (policy?.spec.validations ?? [])
    .filter(({ expression }) => environment.evaluate(expression, { object: { spec } }) !== true)
    .map(({ message }) => message);
}

describe("the policies in docs/security.md", () => {
  test("are each bound", () => {
    const bound = objects
      .filter(({ kind }) => kind === "ValidatingAdmissionPolicyBinding")
      .map(({ spec }) => spec.policyName);
    expect(bound).toEqual(policies.map(({ metadata }) => metadata.name));
    expect(bound).toHaveLength(2);
  });

  test.each([
    ["etcd-clusters", { size: 3 }, 0],
    ["etcd-clusters", { repository: "quay.io/coreos/etcd", pod: { labels: {} } }, 0],
    ["etcd-clusters", { repository: "evil.example/etcd" }, 1],
    ["etcd-clusters", { pod: { serviceAccountName: "default" } }, 0],
    ["etcd-clusters", { repository: "evil.example/etcd", pod: { serviceAccountName: "admin" } }, 2],
    ["etcd-backups", { etcdCluster: { name: "a" }, volume: {} }, 0],
    ["etcd-backups", { etcdCluster: { name: "a" }, s3: { endpoint: "https://minio.example.com" } }, 0],
    ["etcd-backups", { etcdCluster: { name: "a" }, s3: {} }, 1],
    ["etcd-backups", { etcdEndpoints: ["a:2379"], s3: { endpoint: "https://evil.example" } }, 2],
    ["etcd-backups", { etcdCluster: { name: "a" }, gcs: {} }, 1],
  ])("%s: of %o it refuses %i things", (name, spec, count) => {
    expect(refused(name, spec)).toHaveLength(count);
  });
});
