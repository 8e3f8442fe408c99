import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { API_VERSION } from "@etcd-operator/operator/api/group.ts";
import { isKindName } from "@etcd-operator/operator/api/kinds.ts";
import { describeProblem, judge } from "@etcd-operator/operator/api/schema/judge.ts";
import type { KubeObject } from "@etcd-operator/testing/kube/rest.ts";
import { describe, test } from "vitest";
import { manifestFiles, objectOfKind, objectsCarriedBy, objectsIn, podTemplateOf } from "./manifest-files.ts";
import { restrictedViolations } from "./restricted-profile.ts";

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
const image = `ghcr.io/etcd-operator/etcd-operator:v${version}`;
const files = [...manifestFiles("example"), ...manifestFiles("deploy")];

// The names that scripts and articles written for the archived operator use.
const inherited = [
  "example/deployment.yaml",
  "example/example-etcd-cluster.yaml",
  "example/etcd-backup-operator/backup_cr.yaml",
  "example/etcd-backup-operator/deployment.yaml",
  "example/etcd-backup-operator/periodic_backup_cr.yaml",
  "example/etcd-restore-operator/deployment.yaml",
  "example/etcd-restore-operator/restore_cr.yaml",
  "example/rbac/cluster-role-binding-template.yaml",
  "example/rbac/cluster-role-template.yaml",
];

test("the file names of the archived operator are all there", () => {
  assert.deepEqual(
    inherited.filter((path) => !files.includes(path)),
    [],
  );
});

test("the example for production runs the newest 3.5 that we build and test with", () => {
  const newest = /server\/v3 v(\S+)/.exec(readFileSync("tools/etcd-3.5/go.mod", "utf8"))?.[1];
  const cluster = objectOfKind<{ spec: { version: string } }>(
    "example/example-etcd-cluster-production.yaml",
    "EtcdCluster",
  );
  assert.equal(cluster.spec.version, newest);
});

describe.each(files)("%s", (file) => {
  const objects = objectsIn(file);

  test("holds Kubernetes objects and begins with a comment that says what it is", () => {
    assert.notEqual(objects.length, 0);
    for (const { apiVersion, kind } of objects) assert.ok(apiVersion && kind, "an object without apiVersion or kind");
    assert.match(readFileSync(file, "utf8"), /^# \S/);
  });

  test("holds only objects of ours that the operator takes", () => {
    for (const object of [...objects, ...objects.flatMap(objectsCarriedBy)]) {
      if (object.apiVersion === API_VERSION) assert.deepEqual(problemsOf(object), []);
    }
  });

  test("names the image of this version", () => {
    for (const tag of readFileSync(file, "utf8").match(/etcd-operator\/etcd-operator:\S+/g) ?? []) {
      assert.equal(`ghcr.io/${tag}`, image);
    }
  });

  test("makes only pods of the restricted profile, with a root that cannot be written to", () => {
    for (const object of objects) {
      const template = podTemplateOf(object);
      if (template?.spec) assert.deepEqual(restrictedViolations(template.spec), []);
    }
  });
});

describe.each([
  ["example/deployment.yaml", "etcd-operator"],
  ["example/etcd-backup-operator/deployment.yaml", "etcd-backup-operator"],
  ["example/etcd-restore-operator/deployment.yaml", "etcd-restore-operator"],
  ["deploy/operator/deployment.yaml", "etcd-operator"],
])("the Deployment of %s", (file, program) => {
  const deployment = objectOfKind(file, "Deployment");
  const container = podTemplateOf(deployment)?.spec?.containers[0];

  test(`runs ${program} from our image, under the name of the archived operator's`, () => {
    assert.equal(deployment.apiVersion, "apps/v1");
    assert.equal(deployment.metadata?.name, program);
    assert.equal(container?.image, image);
    assert.equal(container?.command?.[0], program);
  });

  test("gives the operator the name of its pod, and probes it on port 8080", () => {
    const fields = Object.fromEntries(
      (container?.env ?? []).flatMap(({ name, valueFrom }) =>
        valueFrom ? [[name, valueFrom.fieldRef?.fieldPath]] : [],
      ),
    );
    const named = { MY_POD_NAMESPACE: "metadata.namespace", MY_POD_NAME: "metadata.name", MY_POD_UID: "metadata.uid" };
    assert.deepEqual(fields, named);
    const containerName = container?.env?.find(({ name }) => name === "MY_CONTAINER_NAME")?.value;
    assert.equal(containerName, container?.name);
    assert.deepEqual(container?.ports, [{ name: "http", containerPort: 8080 }]);
    assert.deepEqual(container?.readinessProbe?.httpGet, { path: "/readyz", port: "http" });
    assert.deepEqual(container?.livenessProbe?.httpGet, { path: "/healthz", port: "http" });
  });
});

test.each(files.filter((file) => file.endsWith("/deployment.yaml")))(
  "%s names the image of the operator once: it finds it in its own pod, for the pods that it makes",
  (file) => {
    const yaml = readFileSync(file, "utf8");
    assert.equal(yaml.match(/etcd-operator\/etcd-operator:/g)?.length, 1);
    assert.doesNotMatch(yaml, /ETCD_OPERATOR_IMAGE/);
  },
);

test("the example cluster has the name and size that articles use", () => {
  const cluster = objectOfKind("example/example-etcd-cluster.yaml", "EtcdCluster");
  assert.equal(cluster.metadata?.name, "example-etcd-cluster");
  assert.deepEqual(cluster.spec, { size: 3, version: "3.5.16" });
});

function problemsOf(object: KubeObject): readonly string[] {
  const kind = object.kind ?? "";
  if (!isKindName(kind)) return [`${kind} is no kind of ours`];
  // The API server completes a generateName before anything reads the object.
  const { generateName, ...metadata } = { ...object.metadata };
  const named = generateName === undefined ? metadata : { ...metadata, name: `${String(generateName)}x1y2z` };
  const judgement = judge(kind, { ...object, metadata: named });
  return judgement.kind === "valid" ? [] : judgement.problems.map(describeProblem);
}
