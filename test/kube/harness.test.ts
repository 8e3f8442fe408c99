import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";
import { pinnedKubernetesVersion } from "@etcd-operator/testing/kube/control-plane/build-kubernetes.ts";
import { type ControlPlaneFacts, startControlPlane } from "@etcd-operator/testing/kube/control-plane/control-plane.ts";
import { injectedKube } from "@etcd-operator/testing/kube/injected.ts";
import { kubectl, kubectlOrThrow } from "@etcd-operator/testing/kube/kubectl.ts";
import type { Rest } from "@etcd-operator/testing/kube/rest.ts";
import { isRunning, listeningAddresses, loopback } from "@etcd-operator/testing/process/process-state.ts";
import { titleWith } from "@etcd-operator/testing/skipped.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { describe, expect, test } from "vitest";

const kube = injectedKube();
const lack = !kube.hasControllerManager && "needs kube-controller-manager";
const withControllers = test.skipIf(lack);
const noLinux = process.platform !== "linux" && "needs Linux";
const onLinux = test.skipIf(noLinux);
const goneAfterMs = 40_000;

interface Fixture {
  readonly rest: Rest;
  readonly namespace: string;
}

async function fixture(labels?: Record<string, string>): Promise<Fixture> {
  return { rest: await kube.rest(), namespace: await kube.freshNamespace(labels) };
}

async function createAccount({ rest, namespace }: Fixture, name: string) {
  await rest("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name } });
  return { namespace, serviceAccount: name };
}

async function createConfigMap({ rest, namespace }: Fixture, name: string, owner?: { name: string; uid: string }) {
  const ownerReferences = owner && [{ apiVersion: "v1", kind: "ConfigMap", blockOwnerDeletion: true, ...owner }];
  const metadata = { name, ownerReferences };
  const { code, body } = await rest("POST", `/api/v1/namespaces/${namespace}/configmaps`, { metadata });
  return { code, path: `/api/v1/namespaces/${namespace}/configmaps/${name}`, name, uid: body.metadata?.uid ?? "" };
}

async function whoAmI(kubeconfig: string): Promise<string> {
  const review = JSON.parse(await kubectlOrThrow(kubeconfig, ["auth", "whoami", "-o", "json"]));
  return review.status.userInfo.username;
}

describe("the control plane", () => {
  const given = process.env.KUBEBUILDER_ASSETS && "KUBEBUILDER_ASSETS names another";
  test.skipIf(given)(titleWith("runs the version that tools/kubernetes/go.mod requires", given), async () => {
    expect(kube.version).toBe(await pinnedKubernetesVersion());
  });

  onLinux(titleWith("listens on nothing but the loopback address", noLinux), async () => {
    const { etcd = 0, "kube-apiserver": apiserver = 0 } = kube.pids;
    expect(await listeningAddresses(etcd)).toContain(loopback);
    expect(await listeningAddresses(apiserver)).toContain(loopback);
    for (const pid of Object.values(kube.pids)) {
      const elsewhere = (await listeningAddresses(pid)).filter((address) => address !== loopback);
      expect(elsewhere, `process ${pid}`).toEqual([]);
    }
  });

  onLinux(titleWith("is gone without a trace after stop", noLinux), async () => {
    const { facts, stop } = await startControlPlane();
    await stop();
    expect(await survivors(facts)).toEqual([]);
    expect(existsSync(facts.directory)).toBe(false);
  });

  onLinux(
    titleWith("is gone without a trace after the process that started it was killed with SIGKILL", noLinux),
    async () => {
      const program = fileURLToPath(new URL("../../packages/testing/src/kube/control-plane/main.ts", import.meta.url));
      const child = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"] });
      const [line] = await once(createInterface(child.stdout), "line");
      const facts: ControlPlaneFacts = JSON.parse(line);
      expect(await survivors(facts)).toEqual(Object.keys(kube.pids));
      child.kill("SIGKILL");
      await until(async () => (await survivors(facts)).length === 0, { what: "every process to be gone" });
      await until(() => !existsSync(facts.directory), { what: `${facts.directory} to be gone` });
    },
  );

  async function survivors({ pids }: ControlPlaneFacts): Promise<string[]> {
    const running = await Promise.all(
      Object.entries(pids).map(async ([name, pid]) => ((await isRunning(pid)) ? name : "")),
    );
    return running.filter((name) => name !== "");
  }
});

describe("authentication and authorization", () => {
  test("the administrator may do everything", async () => {
    const rest = await kube.rest();
    expect((await rest("GET", "/api/v1/secrets")).code).toBe(200);
    expect(await whoAmI(kube.adminKubeconfig)).toBe("admin");
  });

  test("an anonymous client may read nothing", async () => {
    const rest = await kube.rest({ kind: "anonymous" });
    expect((await rest("GET", "/api/v1/namespaces")).code).toBe(403);
  });

  test("a forged token is refused", async () => {
    const rest = await kube.rest({ kind: "token", token: "forged" });
    expect((await rest("GET", "/api/v1/namespaces")).code).toBe(401);
  });

  test("a ServiceAccount without roles is known by its name and may do nothing", async () => {
    const seen = await fixture();
    const account = await createAccount(seen, "powerless");
    const kubeconfig = await kube.kubeconfigFor(account);
    expect(await whoAmI(kubeconfig)).toBe(`system:serviceaccount:${seen.namespace}:powerless`);
    const { code, stderr } = await kubectl(kubeconfig, ["get", "pods", "-n", seen.namespace]);
    expect(code).toBe(1);
    expect(stderr).toContain("Forbidden");
    const rest = await kube.rest({ kind: "token", token: await kube.tokenFor(account) });
    expect((await rest("GET", `/api/v1/namespaces/${seen.namespace}/pods`)).code).toBe(403);
  });

  test("a ServiceAccount may do what a role grants", async () => {
    const seen = await fixture();
    const kubeconfig = await kube.kubeconfigFor(await createAccount(seen, "reader"));
    await grant(seen, "reader", "get,list");
    expect((await kubectl(kubeconfig, ["get", "configmaps", "-n", seen.namespace])).code).toBe(0);
  });

  test("blocking the deletion of an owner takes the right to set its finalizers", async () => {
    const seen = await fixture();
    const account = await createAccount(seen, "creator");
    await grant(seen, "creator", "create");
    const owner = await createConfigMap(seen, "owner");
    const rest = await kube.rest({ kind: "token", token: await kube.tokenFor(account) });
    const asCreator = { ...seen, rest };
    expect((await createConfigMap(asCreator, "free")).code).toBe(201);
    expect((await createConfigMap(asCreator, "blocking", { name: owner.name, uid: owner.uid })).code).toBe(403);
  });

  async function grant({ namespace }: Fixture, account: string, verbs: string): Promise<void> {
    const inNamespace = ["-n", namespace];
    const create = (args: string[]) => kubectlOrThrow(kube.adminKubeconfig, ["create", ...args, ...inNamespace]);
    await create(["role", account, `--verb=${verbs}`, "--resource=configmaps"]);
    await create(["rolebinding", account, `--role=${account}`, `--serviceaccount=${namespace}:${account}`]);
  }
});

describe("admission", () => {
  test("a pod that is not restricted is refused where the namespace asks for it", async () => {
    const { rest, namespace } = await fixture({ "pod-security.kubernetes.io/enforce": "restricted" });
    const container = { name: "etcd", image: "etcd" };
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    const plain = await rest("POST", pods, { metadata: { name: "plain" }, spec: { containers: [container] } });
    expect(plain.code).toBe(403);
    expect(plain.body.message).toContain("PodSecurity");

    const securityContext = {
      runAsNonRoot: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
      seccompProfile: { type: "RuntimeDefault" },
    };
    const spec = { containers: [{ ...container, securityContext }] };
    expect((await rest("POST", pods, { metadata: { name: "restricted" }, spec })).code).toBe(201);
  });
});

describe("the controllers", () => {
  withControllers(titleWith("what an object owns is collected after it", lack), async () => {
    const seen = await fixture();
    const owner = await createConfigMap(seen, "owner");
    const owned = await createConfigMap(seen, "owned", { name: owner.name, uid: owner.uid });
    const orphan = await createConfigMap(seen, "orphan");
    await seen.rest("DELETE", owner.path);
    const gone = async () => (await seen.rest("GET", owned.path)).code === 404;
    await until(gone, { what: "the owned object to be collected", timeoutMs: goneAfterMs });
    expect((await seen.rest("GET", orphan.path)).code).toBe(200);
  });

  withControllers(titleWith("a deleted namespace ends", lack), async () => {
    const seen = await fixture();
    await createConfigMap(seen, "content");
    await seen.rest("DELETE", `/api/v1/namespaces/${seen.namespace}`);
    const gone = async () => (await seen.rest("GET", `/api/v1/namespaces/${seen.namespace}`)).code === 404;
    await until(gone, { what: "the namespace to end", timeoutMs: goneAfterMs });
  });
});

describe("putStored", () => {
  test("brings in a CRD that was born as v1beta1, which the server refuses to create", async () => {
    const { rest, namespace } = await fixture();
    const group = "born-as-v1beta1.example";
    const name = `etcdclusters.${group}`;
    const names = { plural: "etcdclusters", singular: "etcdcluster", kind: "EtcdCluster", listKind: "EtcdClusterList" };
    const version = { name: "v1beta2", served: true, storage: true };
    const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const spec = { group, names, scope: "Namespaced", versions: [version], preserveUnknownFields: true };
    expect((await rest("POST", crds, { metadata: { name }, spec })).code).toBe(422);

    await kube.putStored(`/registry/apiextensions.k8s.io/customresourcedefinitions/${name}`, {
      apiVersion: "apiextensions.k8s.io/v1beta1",
      kind: "CustomResourceDefinition",
      metadata: { name },
      spec: { group, names, scope: "Namespaced", version: "v1beta2", versions: [version] },
      status: { storedVersions: ["v1beta2"], conditions: [], acceptedNames: { plural: "", kind: "" } },
    });

    const path = `${crds}/${name}`;
    const served = `/apis/${group}/v1beta2/namespaces/${namespace}/etcdclusters`;
    await until(async () => (await rest("GET", served)).code === 200, { what: `${name} to be served` });
    const { body } = await rest<{ spec: { preserveUnknownFields: boolean } }>("GET", path);
    expect(body.spec.preserveUnknownFields).toBe(true);

    const cluster = {
      apiVersion: `${group}/v1beta2`,
      kind: "EtcdCluster",
      metadata: { name: "old" },
      spec: { any: 1 },
    };
    const created = await rest("POST", served, cluster);
    expect(created.code).toBe(201);
    expect(created.body.spec).toEqual({ any: 1 });
    expect((await rest("DELETE", path)).code).toBe(200);
    await until(async () => (await rest("GET", path)).code === 404, { what: `${name} to be gone` });
  });
});
