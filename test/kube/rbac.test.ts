import assert from "node:assert/strict";
import { API_VERSION, GROUP } from "@etcd-operator/operator/api/group.ts";
import { applyCrds } from "@etcd-operator/testing/kube/control-plane/crds.ts";
import { injectedKube } from "@etcd-operator/testing/kube/injected.ts";
import { kubectl, kubectlOrThrow } from "@etcd-operator/testing/kube/kubectl.ts";
import type { KubeObject, Rest } from "@etcd-operator/testing/kube/rest.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { ClusterRole, PolicyRule, Role } from "kubernetes-types/rbac/v1.d.ts";
import { afterAll, beforeAll, describe, test } from "vitest";
import { objectOfKind } from "../manifests/manifest-files.ts";
import { createRoleOn } from "../manifests/run-create-role.ts";

type Method = Parameters<Rest>[0];

const kube = injectedKube();
const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const { rules: inNamespace = [] } = objectOfKind<Role>("example/rbac/role-template.yaml", "Role");
const { rules: ofCrds = [] } = objectOfKind<ClusterRole>("example/rbac/crd-role-template.yaml", "ClusterRole");
const rules = [...inNamespace, ...ofCrds];

let admin: Rest;
/** As the operator that create_role.sh gave its rights. */
let operator: Rest;
let namespace: string;
let core: string;
let ours: string;

beforeAll(async () => {
  await applyCrds(kube);
  admin = await kube.rest();
  namespace = await kube.freshNamespace();
  core = `/api/v1/namespaces/${namespace}`;
  ours = `/apis/${API_VERSION}/namespaces/${namespace}`;
  await createRole(namespace);
  operator = await restOf(namespace, "etcd-operator");
});

describe("the operator's role grants", () => {
  test("exactly what the template says, and nothing else", async () => {
    const elsewhere = await restOf(await kube.freshNamespace(), "default");
    const everybody = new Set(await rightsOf(elsewhere));
    const rights = (await rightsOf(operator)).filter((right) => !everybody.has(right));
    assert.deepEqual(rights.sort(), rightsIn(rules).sort());
  });

  test("making a member that belongs to its cluster, marking it ready, and removing it", async () => {
    const cluster = await created("etcdclusters", { kind: "EtcdCluster", spec: { size: 1, version: "3.5.16" } });
    const ownerReferences = [ownedBy(cluster)];
    const pod = {
      metadata: { name: "member", ownerReferences },
      spec: { containers: [{ name: "etcd", image: "etcd" }] },
    };
    await allowed(201, "POST", `${core}/pods`, pod);
    const status = { conditions: [{ type: "etcd.database.coreos.com/voter", status: "True" }] };
    await allowed(200, "PATCH", `${core}/pods/member/status`, { status });
    await allowed(200, "DELETE", `${core}/pods/member?gracePeriodSeconds=0`);
    const service = {
      metadata: { name: "example", ownerReferences },
      spec: { clusterIP: "None", ports: [{ port: 2379 }] },
    };
    await allowed(201, "POST", `${core}/services`, service);
    const budget = { metadata: { name: "example", ownerReferences }, spec: { maxUnavailable: 1 } };
    await allowed(201, "POST", `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`, budget);
  });

  test("reporting on each of the three kinds", async () => {
    const s3 = { path: "bucket/backup", awsSecret: "aws" };
    const backup = { etcdEndpoints: ["http://example-client:2379"], storageType: "S3", s3 };
    const restore = { etcdCluster: { name: "reported" }, backupStorageType: "S3", s3 };
    for (const [plural, kind, spec] of [
      ["etcdclusters", "EtcdCluster", { size: 1 }],
      ["etcdbackups", "EtcdBackup", backup],
      ["etcdrestores", "EtcdRestore", restore],
    ] as const) {
      const object = await created(plural, { kind, spec });
      const path = `${ours}/${plural}/${object.metadata?.name}`;
      await allowed(200, "PUT", `${path}/status`, { ...object, status: { observedGeneration: 1 } });
      await allowed(200, "PATCH", path, { metadata: { finalizers: [`${GROUP}/test`] } });
      await allowed(200, "PATCH", path, { metadata: { finalizers: [] } });
    }
  });

  test("asking for a backup before an upgrade", async () => {
    const spec = {
      etcdCluster: { name: "example" },
      storageType: "S3",
      s3: { path: "bucket/backup", awsSecret: "aws" },
    };
    const backup = {
      apiVersion: `${GROUP}/v1beta2`,
      kind: "EtcdBackup",
      metadata: { name: "example-before-3.6-2" },
      spec,
    };
    await allowed(201, "POST", `${ours}/etcdbackups`, backup);
  });

  test("reading a Secret by its name", async () => {
    await admin("POST", `${core}/secrets`, { metadata: { name: "aws" } });
    await allowed(200, "GET", `${core}/secrets/aws`);
  });

  test("making the Secret of a pod that a snapshot passes through, and a restore", async () => {
    await allowed(201, "POST", `${core}/secrets`, { metadata: { name: "seed-transfer" } });
    const volume = { claimName: "backups", path: "example" };
    const spec = { etcdCluster: { name: "example" }, backupStorageType: "Volume", volume };
    const restore = { apiVersion: API_VERSION, kind: "EtcdRestore", metadata: { name: "example-recovery-1" }, spec };
    await allowed(201, "POST", `${ours}/etcdrestores`, restore);
  });

  test("electing a leader and writing Events", async () => {
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    await allowed(201, "POST", leases, { metadata: { name: "etcd-operator" }, spec: { holderIdentity: "one" } });
    const { body } = await operator("GET", `${leases}/etcd-operator`);
    await allowed(200, "PUT", `${leases}/etcd-operator`, { ...body, spec: { holderIdentity: "two" } });
    const involvedObject = { kind: "EtcdCluster", namespace, name: "example" };
    await allowed(201, "POST", `${core}/events`, { metadata: { name: "example.1" }, involvedObject });
    await allowed(200, "PATCH", `${core}/events/example.1`, { count: 2 });
  });

  test("bringing its own CRDs up to date", async () => {
    const { body } = await operator("GET", `${crds}/etcdclusters.${GROUP}`);
    await allowed(200, "PUT", `${crds}/etcdclusters.${GROUP}?dryRun=All`, body);
  });

  test("what kubectl auth can-i is asked about", async () => {
    const kubeconfig = await kube.kubeconfigFor({ namespace, serviceAccount: "etcd-operator" });
    const canI = async (...question: string[]) =>
      (await kubectl(kubeconfig, ["auth", "can-i", ...question])).stdout.trim();
    assert.equal(await canI("watch", `etcdclusters.${GROUP}`, "-n", namespace), "yes");
    assert.equal(await canI("watch", `etcdclusters.${GROUP}`, "--all-namespaces"), "no");
    assert.equal(await canI("list", "secrets", "-n", namespace), "no");
    assert.equal(await canI("*", "*", "-n", namespace), "no");
  });
});

describe("the aggregated roles", () => {
  const file = "example/rbac/aggregated-roles.yaml";
  beforeAll(() => kubectlOrThrow(kube.adminKubeconfig, ["apply", "-f", file]));
  afterAll(() => kubectlOrThrow(kube.adminKubeconfig, ["delete", "-f", file]));

  test.each([
    ["view", ["get"], ["create", "delete"]],
    ["edit", ["get", "create", "patch", "delete"], []],
    ["admin", ["get", "create", "patch", "delete"], []],
  ] as const)("give who has %s in a namespace as much of our kinds", async (role, may, mayNot) => {
    const where = await kube.freshNamespace();
    const binding = [`rolebinding`, role, `--clusterrole=${role}`, "--user=some-user", "-n", where];
    await kubectlOrThrow(kube.adminKubeconfig, ["create", ...binding]);
    const canI = async (verb: string, what: string, ...more: string[]) => {
      const asked = ["auth", "can-i", verb, what, ...more, "-n", where, "--as=some-user"];
      return (await kubectl(kube.adminKubeconfig, asked)).stdout.trim();
    };
    for (const plural of ["etcdclusters", "etcdbackups", "etcdrestores"]) {
      const what = `${plural}.${GROUP}`;
      for (const verb of may) await until(async () => (await canI(verb, what)) === "yes", { what: `${verb} ${what}` });
      for (const verb of mayNot) assert.equal(await canI(verb, what), "no");
      assert.equal(await canI("patch", what, "--subresource=status"), "no", "a status is what the operator remembers");
    }
  });
});

describe("the operator's role does not grant", () => {
  const name = "example";
  const cases: readonly (readonly [string, Method, () => string])[] = [
    ["listing the Secrets of its namespace", "GET", () => `${core}/secrets`],
    ["reading Secrets of other namespaces", "GET", () => "/api/v1/namespaces/kube-system/secrets/any"],
    ["making pods in other namespaces", "POST", () => "/api/v1/namespaces/kube-system/pods"],
    ["following our kinds in all namespaces", "GET", () => `/apis/${API_VERSION}/etcdclusters`],
    ["listing all Secrets", "GET", () => "/api/v1/secrets"],
    ["watching Secrets", "GET", () => `${core}/secrets?watch=1`],
    ["watching one Secret", "GET", () => `${core}/secrets?watch=1&fieldSelector=metadata.name%3Daws`],
    ["changing a Secret", "PUT", () => `${core}/secrets/${name}`],
    ["deleting a Secret", "DELETE", () => `${core}/secrets/${name}`],
    ["listing CRDs", "GET", () => crds],
    ["deleting its own CRDs", "DELETE", () => `${crds}/etcdclusters.${GROUP}`],
    ["reading CRDs of others", "GET", () => `${crds}/certificates.cert-manager.io`],
    ["changing CRDs of others", "PUT", () => `${crds}/certificates.cert-manager.io`],
    ["making ClusterRoles", "POST", () => "/apis/rbac.authorization.k8s.io/v1/clusterroles"],
    ["binding ClusterRoles", "POST", () => "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"],
    ["running commands in pods", "POST", () => `${core}/pods/${name}/exec?command=sh&stdout=true`],
    ["reading the logs of pods", "GET", () => `${core}/pods/${name}/log`],
    ["deleting all pods at once", "DELETE", () => `${core}/pods`],
    ["making tokens", "POST", () => `${core}/serviceaccounts/default/token`],
    ["reading nodes", "GET", () => `/api/v1/nodes/${name}`],
    ["listing namespaces", "GET", () => "/api/v1/namespaces"],
    ["reading ConfigMaps", "GET", () => `${core}/configmaps/${name}`],
    ["making Deployments", "POST", () => `/apis/apps/v1/namespaces/${namespace}/deployments`],
    ["replacing pods", "PUT", () => `${core}/pods/${name}`],
    ["replacing claims", "PUT", () => `${core}/persistentvolumeclaims/${name}`],
    ["deleting Services", "DELETE", () => `${core}/services/${name}`],
    [
      "deleting disruption budgets",
      "DELETE",
      () => `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets/${name}`,
    ],
    ["replacing EtcdBackups", "PUT", () => `${ours}/etcdbackups/${name}`],
    ["replacing EtcdRestores", "PUT", () => `${ours}/etcdrestores/${name}`],
    ["patching a status of ours", "PATCH", () => `${ours}/etcdclusters/${name}/status`],
    ["deleting EtcdClusters", "DELETE", () => `${ours}/etcdclusters/${name}`],
    ["deleting EtcdBackups", "DELETE", () => `${ours}/etcdbackups/${name}`],
    ["deleting EtcdRestores", "DELETE", () => `${ours}/etcdrestores/${name}`],
  ];
  test.each(cases)("%s", async (_, method, path) => {
    const body = method === "GET" || method === "DELETE" ? undefined : { metadata: { name } };
    const { code, text } = await operator(method, path(), body);
    assert.equal(code, 403, text);
  });
});

async function createRole(forNamespace: string): Promise<void> {
  const names = [`--role-name=role-${forNamespace}`, `--role-binding-name=binding-${forNamespace}`];
  const { code, stderr } = await createRoleOn(kube.adminKubeconfig, [...names, `--namespace=${forNamespace}`]);
  assert.equal(code, 0, stderr);
}

async function restOf(inNamespace: string, serviceAccount: string): Promise<Rest> {
  return kube.rest({ kind: "token", token: await kube.tokenFor({ namespace: inNamespace, serviceAccount }) });
}

async function allowed(code: number, method: Method, path: string, body?: unknown): Promise<void> {
  const answer = await operator(method, path, body);
  assert.equal(answer.code, code, `${method} ${path}: ${answer.text}`);
}

/** An object of ours, made by the administrator. */
async function created(plural: string, object: KubeObject): Promise<KubeObject> {
  const metadata = { generateName: "example-" };
  const { code, body, text } = await admin("POST", `${ours}/${plural}`, {
    apiVersion: API_VERSION,
    metadata,
    ...object,
  });
  assert.equal(code, 201, text);
  return body;
}

function ownedBy({ apiVersion, kind, metadata }: KubeObject) {
  return { apiVersion, kind, name: metadata?.name, uid: metadata?.uid, controller: true };
}

async function rightsOf(rest: Rest): Promise<string[]> {
  const review = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectRulesReview", spec: { namespace } };
  const path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
  const { body } = await rest<{ status: { resourceRules: PolicyRule[] } }>("POST", path, review);
  return rightsIn(body.status.resourceRules);
}

function rightsIn(granted: readonly PolicyRule[]): string[] {
  return granted.flatMap(({ verbs, apiGroups = [], resources = [], resourceNames = ["any"] }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        resourceNames.flatMap((name) => verbs.map((verb) => `${verb} ${group}/${resource} ${name}`)),
      ),
    ),
  );
}
