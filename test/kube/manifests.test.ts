import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { applyCrds } from "@etcd-operator/testing/kube/control-plane/crds.ts";
import { injectedKube } from "@etcd-operator/testing/kube/injected.ts";
import { kubectl, kubectlOrThrow } from "@etcd-operator/testing/kube/kubectl.ts";
import type { KubeObject } from "@etcd-operator/testing/kube/rest.ts";
import type { CommandResult } from "@etcd-operator/testing/process/run-command.ts";
import { titleWith } from "@etcd-operator/testing/skipped.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { PodTemplateSpec } from "kubernetes-types/core/v1.d.ts";
import type { ClusterRole } from "kubernetes-types/rbac/v1.d.ts";
import { beforeAll, describe, test } from "vitest";
import {
  filledIn,
  manifestFiles,
  objectOfKind,
  objectsIn,
  objectsOf,
  podTemplateOf,
} from "../manifests/manifest-files.ts";
import { createRoleOn } from "../manifests/run-create-role.ts";

const kube = injectedKube();
const lack = !kube.hasControllerManager && "needs kube-controller-manager";
const withControllers = test.skipIf(lack);
const restricted = {
  "pod-security.kubernetes.io/enforce": "restricted",
  "pod-security.kubernetes.io/warn": "restricted",
};
const create = ["create", "--warnings-as-errors", "-f"];
const examples = manifestFiles("example").filter((file) => !file.endsWith("-template.yaml"));

beforeAll(async () => {
  await applyCrds(kube);
});

describe("in a namespace of the restricted profile, the API server takes without a warning", () => {
  test.each(examples)("%s", async (file) => {
    const namespace = await kube.freshNamespace(restricted);
    const created = await asAdmin([...create, "-", "-n", namespace, "--dry-run=server"], filledIn(file));
    assert.equal(created.trim().split("\n").length, objectsIn(file).length);
  });

  const files = [...examples, ...manifestFiles("deploy")];
  const templates = files.flatMap((file) => objectsIn(file).flatMap((object) => podIn(file, object)));
  test.each(templates)("a pod of the $kind in $file", async ({ template }) => {
    const namespace = await kube.freshNamespace(restricted);
    const account = template.spec?.serviceAccountName;
    if (account) await asAdmin(["create", "serviceaccount", account, "-n", namespace]);
    const pod = { apiVersion: "v1", kind: "Pod", ...template, metadata: { ...template.metadata, name: "a-pod" } };
    const answer = await asAdmin([...create, "-", "-n", namespace, "--dry-run=server"], JSON.stringify(pod));
    assert.match(answer, /pod\/a-pod created/);
  });
});

describe("an example with placeholders", () => {
  const withPlaceholders = examples.filter((file) => /^[^#\n]*<full-s3-path>/m.test(readFileSync(file, "utf8")));

  test.each(withPlaceholders)(
    "%s is refused until they are filled in, and the message says what belongs there",
    async (file) => {
      const { code, stderr } = await kubectl(kube.adminKubeconfig, ["create", "-f", file, "--dry-run=server"]);
      assert.notEqual(code, 0);
      assert.match(stderr, /spec\.s3\.path.*write the bucket/);
    },
  );
});

describe("kubectl apply --server-side", () => {
  const apply = ["apply", "--server-side", "-f"];
  const outputOf = (count: number) => Array.from({ length: count }, () => "serverside-applied");

  test("takes our CRDs, also from the kubectl apply that brought them, and a second time changes nothing", async () => {
    const versions = ["get", "-f", "deploy/crd", "-o", "jsonpath={.items[*].metadata.resourceVersion}"];
    const first = await asAdmin([...apply, "deploy/crd", "--force-conflicts"]);
    assert.deepEqual(first.match(/\S+$/gm), outputOf(3));
    const before = await asAdmin(versions);
    const second = await asAdmin([...apply, "deploy/crd"]);
    assert.deepEqual(second.match(/\S+$/gm), outputOf(3));
    assert.equal(await asAdmin(versions), before);
  });

  const clusters = examples.filter((file) => file.includes("example-etcd-cluster"));
  test.each(clusters)("takes %s, its changes, and says who else has a field", async (file) => {
    const namespace = await kube.freshNamespace();
    const [cluster] = objectsIn(file).filter(({ kind }) => kind === "EtcdCluster");
    const sent = (size: number) => {
      const { spec, ...rest } = cluster ?? {};
      return JSON.stringify({ ...rest, spec: { ...(spec as object), size } });
    };
    await asAdmin([...apply, "-", "-n", namespace], sent(3));
    await asAdmin([...apply, "-", "-n", namespace], sent(5));
    const name = `etcdcluster/${cluster?.metadata?.name}`;
    const size = ["get", name, "-n", namespace, "-o", "jsonpath={.spec.size}"];
    assert.equal(await asAdmin(size), "5");
    await asAdmin(["scale", name, "--replicas=3", "-n", namespace]);
    const { code, stderr } = await kubectl(kube.adminKubeconfig, [...apply, "-", "-n", namespace], { input: sent(5) });
    assert.equal(code, 1);
    assert.match(stderr, /conflict with "kubectl".* with subresource "scale".*: \.spec\.size/s);
    await asAdmin([...apply, "-", "-n", namespace, "--force-conflicts"], sent(5));
    assert.equal(await asAdmin(size), "5");
  });
});

describe("the quick start", () => {
  withControllers(titleWith("ends with a pod of the operator and an EtcdCluster for it to work on", lack), async () => {
    const namespace = await kube.freshNamespace(restricted);
    await createRole(flagsFor(namespace));
    await asAdmin([...create, "example/deployment.yaml", "-n", namespace]);
    await asAdmin([...create, "example/example-etcd-cluster.yaml", "-n", namespace]);
    await until(async () => (await podsIn(namespace, "name=etcd-operator")) === 1, { what: "the operator's pod" });
    const cluster = await asAdmin(["get", "etcd", "example-etcd-cluster", "-n", namespace, "-o", "json"]);
    assert.equal((JSON.parse(cluster) as { spec: { size: number } }).spec.size, 3);
  });
});

describe("create_role.sh", () => {
  test("run a second time changes nothing", async () => {
    const flags = flagsFor(await kube.freshNamespace());
    await createRole(flags);
    const again = await createRole(flags);
    assert.deepEqual(
      again.stdout.match(/\w+$/gm),
      Array.from({ length: 5 }, () => "unchanged"),
      again.stdout,
    );
  });

  test("leaves a binding to the namespace that has it", async () => {
    const [first, second] = [await kube.freshNamespace(), await kube.freshNamespace()];
    const flags = [...flagsFor(first), "--cluster-wide"];
    await createRole(flags);
    const taken = await createRoleOn(kube.adminKubeconfig, [...flags, `--namespace=${second}`]);
    assert.equal(taken.code, 1);
    assert.match(taken.stderr, new RegExp(`${first}/etcd-operator.*--role-binding-name`));
    await createRole([...flags.slice(0, 1), ...flagsFor(second).slice(1)]);
  });

  test("removes what the role of the archived operator granted beyond need", async () => {
    const [role = "", ...others] = flagsFor(await kube.freshNamespace());
    const name = role.split("=")[1] ?? "";
    await asAdmin(["create", "clusterrole", name, "--verb=*", "--resource=secrets,pods"]);
    await createRole([role, ...others, "--cluster-wide"]);
    const stored = JSON.parse(await asAdmin(["get", "clusterrole", name, "-o", "json"])) as ClusterRole;
    const template = objectOfKind<ClusterRole>("example/rbac/cluster-role-template.yaml", "ClusterRole");
    assert.deepEqual(stored.rules, template.rules);
  });
});

describe("the account of the CronJob", () => {
  test("makes the EtcdBackup of its ConfigMap, a new one each time, and may do nothing else", async () => {
    const namespace = await kube.freshNamespace(restricted);
    const file = "example/etcd-backup-operator/cronjob.yaml";
    const source = readFileSync(file, "utf8").replace("namespace: default", `namespace: ${namespace}`);
    await asAdmin([...create, "-", "-n", namespace], source);
    const kubeconfig = await kube.kubeconfigFor({ namespace, serviceAccount: "etcd-backup-cronjob" });
    const backup = objectOfKind<{ data: Record<string, string> }>(file, "ConfigMap").data["backup.yaml"] ?? "";
    for (const _ of ["first night", "second night"]) {
      await kubectlOrThrow(kubeconfig, ["create", "-f", "-", "-n", namespace], { input: backup });
    }
    const names = await asAdmin(["get", "etcdbackups", "-n", namespace, "-o", "name"]);
    assert.equal(names.match(/example-etcd-cluster-nightly-/g)?.length, 2);
    for (const question of [
      ["get", "etcdbackups"],
      ["get", "secrets"],
      ["create", "pods"],
    ]) {
      const { stdout } = await kubectl(kubeconfig, ["auth", "can-i", ...question, "-n", namespace]);
      assert.equal(stdout.trim(), "no", question.join(" "));
    }
  });
});

describe("kubectl apply -k deploy", () => {
  test("renders every object under deploy/, and nothing else", async () => {
    const files = manifestFiles("deploy").filter((file) => !/kustomization(\.yaml)?$/i.test(file));
    const rendered = objectsOf(await asAdmin(["kustomize", "deploy"]));
    assert.deepEqual(rendered.map(identityOf).sort(), files.flatMap(objectsIn).map(identityOf).sort());
  });

  test("installs the operator, and a second time would change nothing", async () => {
    const first = await asAdmin(["apply", "--warnings-as-errors", "-k", "deploy"]);
    assert.match(first, /^deployment.apps\/etcd-operator created$/m);
    const second = await kubectl(kube.adminKubeconfig, ["diff", "-k", "deploy"]);
    assert.equal(second.code, 0, second.stdout);
  });

  withControllers(titleWith("brings up two pods, of which a drain may take one", lack), async () => {
    await asAdmin(["apply", "-k", "deploy"]);
    await until(async () => (await podsIn("etcd-operator", "name=etcd-operator")) === 2, { what: "two pods" });
    const budget = await until(budgetOfOperator, { what: "the disruption budget to count the pods" });
    assert.equal(budget.desiredHealthy, 1);
  });

  test("deploy/crd can be applied on its own, both ways", async () => {
    for (const how of ["-k", "-f"]) {
      const applied = (await asAdmin(["apply", how, "deploy/crd"])).trim().split("\n");
      assert.equal(applied.length, 3);
    }
  });

  async function budgetOfOperator(): Promise<{ desiredHealthy: number } | undefined> {
    const answer = await asAdmin(["get", "pdb", "etcd-operator", "-n", "etcd-operator", "-o", "json"]);
    const { status } = JSON.parse(answer) as { status: { expectedPods: number; desiredHealthy: number } };
    return status.expectedPods === 2 ? status : undefined;
  }
});

function asAdmin(args: readonly string[], input = ""): Promise<string> {
  return kubectlOrThrow(kube.adminKubeconfig, args, { input });
}

// Names of their own: roles and bindings belong to the whole cluster, which other tests share.
function flagsFor(namespace: string): readonly string[] {
  return [`--role-name=role-${namespace}`, `--role-binding-name=binding-${namespace}`, `--namespace=${namespace}`];
}

async function createRole(flags: readonly string[]): Promise<CommandResult> {
  const result = await createRoleOn(kube.adminKubeconfig, flags);
  assert.equal(result.code, 0, result.stderr);
  return result;
}

function podIn(file: string, object: KubeObject): { file: string; kind: string; template: PodTemplateSpec }[] {
  const template = podTemplateOf(object);
  return template ? [{ file, kind: String(object.kind), template }] : [];
}

async function podsIn(namespace: string, selector: string): Promise<number> {
  const pods = await asAdmin(["get", "pods", "-n", namespace, "-l", selector, "-o", "name"]);
  return pods.split("\n").filter((line) => line !== "").length;
}

function identityOf({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata?.namespace ?? ""}/${metadata?.name}`;
}
