import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { examine, findingsIn } from "./manifest-findings.ts";

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

  test("a quota that its volume cannot hold is a warning, and the object is valid", () => {
    const volume = "pod: { persistentVolumeClaimSpec: { resources: { requests: { storage: 1Gi } } } }";
    const given = (more: string) => examine(cluster(3).replace("size: 3", `size: 3, ${volume}${more}`));
    const { findings, warnings = [] } = given("");
    assert.deepEqual(findings, []);
    assert.match(
      warnings[0]?.message ?? "",
      /^set spec\.etcd\.quotaBackendBytes to 738197504 or less.*quota of 2 GiB.*volume of 1Gi/,
    );
    assert.deepEqual(given(", etcd: { quotaBackendBytes: 500000000 }").warnings, []);
    assert.deepEqual(examine(cluster(3)).warnings, []);
  });

  test("a mistyped field is found, and the ones that Kubernetes may add are not", () => {
    assert.deepEqual(findingsIn(cluster(3).replace("size: 3", "size: 3, sise: 4, pod: { affinity: { new: 1 } }")), [
      'EtcdCluster "example": spec.sise: unknown field: correct its name or remove it',
    ]);
  });

  test("wrong types, broken rules and mistyped fields are found in one round", () => {
    const fields = 'size: three, version: "3.5.1", sise: 4, pod: { etcdEnv: [{ name: ETCD_NAME, value: 7 }] }';
    const findings = findingsIn(cluster(3).replace("size: 3", fields)).map((line) => line.split(": ")[1]);
    assert.deepEqual(findings, [
      "spec.size",
      "spec.version",
      "spec.pod.etcdEnv[0].name",
      "spec.pod.etcdEnv[0].value",
      "spec.sise",
    ]);
  });

  test("a name that the API server will make is no problem, unless it becomes too long", () => {
    const generated = (prefix: string) => cluster(3).replace("name: example", `generateName: ${prefix}`);
    assert.deepEqual(findingsIn(generated("nightly-")), []);
    assert.match(findingsIn(generated(`${"a".repeat(48)}-`))[0] ?? "", /at most 52/);
  });

  test("objects of others are left alone", () => {
    assert.deepEqual(findingsIn(`apiVersion: v1\nkind: Pod\nspec: { size: 9 }\n---\n${cluster(3)}`), []);
  });

  test("a list is looked into, as kubectl get prints it", () => {
    const list = JSON.stringify({
      apiVersion: "v1",
      kind: "List",
      items: [JSON.parse(asJson(3)), JSON.parse(asJson(99))],
    });
    assert.match(findingsIn(list)[0] ?? "", /spec\.size: 99/);
  });

  test("a file with none of our objects is not called valid", () => {
    for (const text of ["", "apiVersion: v1\nkind: Pod\n", "just text", "[1, 2]"]) {
      assert.match(findingsIn(text)[0] ?? "", /no object of etcd\.database\.coreos\.com\/v1beta2/);
    }
  });

  test("our kind in another group, and another version of ours, are distinguished from ours", () => {
    assert.match(findingsIn(cluster(3).replace("v1beta2", "v1beta1"))[0] ?? "", /apiVersion: .*write etcd/);
    assert.match(findingsIn(cluster(3).replace("coreos.com", "coreos.io"))[0] ?? "", /apiVersion: .*write etcd/);
  });

  test("a kind that our group does not have is named", () => {
    assert.match(findingsIn(cluster(3).replace("EtcdCluster", "EtcdKluster"))[0] ?? "", /EtcdKluster.*EtcdBackup/);
  });

  test("what is not YAML is said to be none", () => {
    assert.match(findingsIn("a: [1\n")[0] ?? "", /not YAML/);
  });

  test("an alias that contains itself, or far too many, is a finding and no crash", () => {
    assert.notDeepEqual(findingsIn(cluster(3).replace("size: 3", "size: 3, pod: { affinity: &a { x: *a } }")), []);
    const bomb = [
      "a: &a [1,1,1,1,1,1,1,1,1]",
      ..."bcdefgh".split("").map((name, index) => {
        const before = "abcdefgh"[index];
        return `${name}: &${name} [${Array(9).fill(`*${before}`).join(",")}]`;
      }),
    ].join("\n");
    assert.match(findingsIn(bomb)[0] ?? "", /not a manifest/);
  });

  test("a blank field and a bare yes are read as kubectl reads them", () => {
    assert.deepEqual(findingsIn(cluster(3).replace("size: 3", "size: 3, paused: yes, pod: ")), []);
  });
});

function asJson(size: number): string {
  return JSON.stringify({
    apiVersion: "etcd.database.coreos.com/v1beta2",
    kind: "EtcdCluster",
    metadata: { name: "a" },
    spec: { size },
  });
}
