import { describe, expect, test } from "vitest";
import { expectCode } from "../../scope.ts";
import type { ConformanceTarget, KubeObject } from "../../target.ts";

interface ApiResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly singularName: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

const aggregated = {
  accept:
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json",
};

const groups: readonly (readonly [groupVersion: string, resource: string, kind: string])[] = [
  ["apps/v1", "deployments", "Deployment"],
  ["apps/v1", "replicasets", "ReplicaSet"],
  ["batch/v1", "jobs", "Job"],
  ["batch/v1", "cronjobs", "CronJob"],
  ["policy/v1", "poddisruptionbudgets", "PodDisruptionBudget"],
  ["coordination.k8s.io/v1", "leases", "Lease"],
  ["discovery.k8s.io/v1", "endpointslices", "EndpointSlice"],
  ["storage.k8s.io/v1", "storageclasses", "StorageClass"],
  ["rbac.authorization.k8s.io/v1", "roles", "Role"],
  ["rbac.authorization.k8s.io/v1", "clusterrolebindings", "ClusterRoleBinding"],
  ["apiextensions.k8s.io/v1", "customresourcedefinitions", "CustomResourceDefinition"],
];

const writable = ["create", "delete", "get", "list", "patch", "update", "watch"];

export function discoveryCases(target: () => ConformanceTarget): void {
  const get = async <Body = KubeObject>(path: string, headers: Record<string, string> = {}) =>
    expectCode(200, await target().rest<Body>("GET", path, undefined, { headers }));
  const resourcesIn = async (path: string) => (await get<{ resources: ApiResource[] }>(path)).resources;

  describe("discovery", () => {
    test("/api lists the one version of the core group", async () => {
      expect(await get("/api")).toMatchObject({ kind: "APIVersions", versions: ["v1"] });
    });

    test("/apis lists the groups, each with its versions and the preferred one", async () => {
      const body = await get<KubeObject & { groups: { name: string }[] }>("/apis");
      expect(body).toMatchObject({ kind: "APIGroupList", apiVersion: "v1" });
      const version = { groupVersion: "apps/v1", version: "v1" };
      expect(body.groups.find(({ name }) => name === "apps")).toMatchObject({
        name: "apps",
        versions: [version],
        preferredVersion: version,
      });
    });

    test("/apis/<group> is that group alone", async () => {
      expect(await get("/apis/policy")).toMatchObject({
        kind: "APIGroup",
        apiVersion: "v1",
        name: "policy",
        preferredVersion: { groupVersion: "policy/v1" },
      });
    });

    test("/api/v1 lists pods with their short name, category and verbs", async () => {
      const pods = (await resourcesIn("/api/v1")).find(({ name }) => name === "pods");
      expect(pods).toMatchObject({
        kind: "Pod",
        namespaced: true,
        singularName: "pod",
        shortNames: ["po"],
        categories: ["all"],
      });
      expect(pods?.verbs).toEqual(expect.arrayContaining([...writable, "deletecollection"]));
    });

    test("/api/v1 lists the subresources of pods and services", async () => {
      const names = (await resourcesIn("/api/v1")).map(({ name }) => name);
      const expected = ["pods/status", "pods/log", "pods/exec", "pods/binding", "pods/eviction", "services/status"];
      expect(names).toEqual(expect.arrayContaining(expected));
    });

    test("/api/v1 tells which kinds belong to the whole cluster", async () => {
      const clusterWide = (await resourcesIn("/api/v1")).filter(({ namespaced }) => !namespaced);
      const names = clusterWide.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(["namespaces", "nodes", "persistentvolumes"]));
      expect(names).not.toContain("pods");
    });

    test.each([
      ["configmaps", "cm"],
      ["services", "svc"],
      ["endpoints", "ep"],
      ["events", "ev"],
      ["namespaces", "ns"],
      ["nodes", "no"],
      ["persistentvolumeclaims", "pvc"],
      ["persistentvolumes", "pv"],
      ["serviceaccounts", "sa"],
    ])("%s can be called %s", async (name, shortName) => {
      const resource = (await resourcesIn("/api/v1")).find((resource) => resource.name === name);
      expect(resource?.shortNames).toContain(shortName);
    });

    test.each(groups)("/apis/%s lists %s as the kind %s, readable and writable", async (groupVersion, name, kind) => {
      const body = await get<KubeObject & { resources: ApiResource[] }>(`/apis/${groupVersion}`);
      expect(body).toMatchObject({ kind: "APIResourceList", apiVersion: "v1", groupVersion });
      const resource = body.resources.find((resource) => resource.name === name);
      expect(resource).toMatchObject({ kind });
      expect(resource?.verbs).toEqual(expect.arrayContaining(writable));
    });

    test("a version that a group does not have is a 404 with a Status", async () => {
      const { code, body } = await target().rest("GET", "/apis/apps/v9");
      expect(code).toBe(404);
      expect(body).toMatchObject({ reason: "NotFound", message: "the server could not find the requested resource" });
    });
  });

  describe("aggregated discovery", () => {
    test("/apis lists every group with its resources when the Accept header asks for it", async () => {
      const answer = await target().rest("GET", "/apis", undefined, { headers: aggregated });
      expect(answer.headers["content-type"]).toBe(
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
      );
      expect(answer.body).toMatchObject({ kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2" });
      const items = (answer.body as { items?: KubeObject[] }).items ?? [];
      const apps = items.find(({ metadata }) => metadata?.name === "apps") as { versions?: KubeObject[] } | undefined;
      const { resources = [] } = (apps?.versions?.[0] ?? {}) as { resources?: { resource: string }[] };
      expect(resources.find(({ resource }) => resource === "deployments")).toMatchObject({
        // Empty group and version: those of the list it stands in.
        responseKind: { group: "", version: "", kind: "Deployment" },
        scope: "Namespaced",
        singularResource: "deployment",
        shortNames: ["deploy"],
        verbs: expect.arrayContaining(writable),
      });
    });

    test("/api lists the core group, its subresources inside their resource", async () => {
      const body = await get<{ items: { versions: { version: string; resources: KubeObject[] }[] }[] }>(
        "/api",
        aggregated,
      );
      const [version] = body.items[0]?.versions ?? [];
      expect(version?.version).toBe("v1");
      const pods = version?.resources.find(({ resource }) => resource === "pods");
      const expected = ["status", "log", "exec"].map((subresource) => expect.objectContaining({ subresource }));
      expect(pods?.subresources).toEqual(expect.arrayContaining(expected));
    });
  });
}
