import { describe, expect, test } from "vitest";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget, KubeObject } from "../../target.ts";

const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "a", image: "a" }] } };
const selector = { matchLabels: { app: "a" } };
const oneShot = { ...template, spec: { ...template.spec, restartPolicy: "Never" } };
const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" };

// Objects as users write them; what the server must add is checked by other cases.
const namespaced: Readonly<Record<string, KubeObject>> = {
  configmaps: { data: { a: "1" }, binaryData: { b: "AA==" } },
  secrets: { data: { a: "MQ==" }, type: "Opaque" },
  serviceaccounts: { automountServiceAccountToken: false },
  endpoints: { subsets: [{ addresses: [{ ip: "10.1.2.3" }], ports: [{ port: 1, protocol: "TCP" }] }] },
  persistentvolumeclaims: {
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "none" },
  },
  "apps/v1/deployments": { spec: { replicas: 0, selector, template } },
  "apps/v1/replicasets": { spec: { replicas: 0, selector, template } },
  "batch/v1/jobs": { spec: { suspend: true, template: oneShot } },
  "batch/v1/cronjobs": { spec: { schedule: "0 0 1 1 *", suspend: true, jobTemplate: { spec: { template: oneShot } } } },
  "policy/v1/poddisruptionbudgets": { spec: { maxUnavailable: 1, selector } },
  "coordination.k8s.io/v1/leases": {
    spec: { holderIdentity: "a", leaseDurationSeconds: 15, renewTime: "2026-01-02T03:04:05.123456Z" },
  },
  "discovery.k8s.io/v1/endpointslices": {
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.1.2.3"], conditions: { ready: true } }],
    ports: [{ name: "client", port: 2379, protocol: "TCP" }],
  },
  "rbac.authorization.k8s.io/v1/roles": { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] },
  "rbac.authorization.k8s.io/v1/rolebindings": {
    roleRef,
    subjects: [{ kind: "ServiceAccount", name: "default", namespace: "default" }],
  },
};

const clusterWide: Readonly<Record<string, KubeObject>> = {
  "/api/v1/nodes": { spec: { podCIDR: "10.9.9.0/24", podCIDRs: ["10.9.9.0/24"] } },
  "/api/v1/persistentvolumes": {
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/tmp/none", type: "" } },
  },
  "/apis/storage.k8s.io/v1/storageclasses": { provisioner: "example.com/none", volumeBindingMode: "Immediate" },
  "/apis/rbac.authorization.k8s.io/v1/clusterroles": {
    rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
  },
  "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings": { roleRef: { ...roleRef, kind: "ClusterRole" } },
};

export function storedKindCases(target: () => ConformanceTarget): void {
  describe("every kind", () => {
    const at = scopeOf(target);

    async function roundTrip(path: string, object: KubeObject): Promise<void> {
      const name = `round-trip-${at().namespace.slice(-5)}`;
      const created = expectCode(201, await at().rest("POST", path, { metadata: { name }, ...object }));
      expect(created).toMatchObject(object);
      const read = expectCode(200, await at().rest("GET", `${path}/${name}`));
      expect(read).toMatchObject({ ...object, kind: created.kind, apiVersion: created.apiVersion });
      const labels = { changed: "yes" };
      const patched = expectCode(200, await at().rest("PATCH", `${path}/${name}`, { metadata: { labels } }));
      expect(patched.metadata?.labels).toMatchObject(labels);
      const { body } = await at().rest<{ items: KubeObject[] }>("GET", `${path}?labelSelector=changed`);
      expect(body.items.map(({ metadata }) => metadata?.name)).toContain(name);
      expectCode(200, await at().rest("DELETE", `${path}/${name}?propagationPolicy=Background`));
    }

    test.each(Object.keys(namespaced))("%s are stored, read, patched, listed and deleted", async (resource) => {
      await roundTrip(at().path(resource), namespaced[resource] ?? {});
    });

    test.each(Object.keys(clusterWide))("%s are stored, read, patched, listed and deleted", async (path) => {
      await roundTrip(path, clusterWide[path] ?? {});
    });
  });

  describe("what the server adds to a kind", () => {
    const at = scopeOf(target);

    test("a Secret's stringData becomes data and is not shown", async () => {
      const object = { metadata: { name: "strings" }, data: { a: "MQ==" }, stringData: { b: "two", a: "one" } };
      const secret = await at().create("secrets", object);
      expect(secret.data).toEqual({ a: "b25l", b: "dHdv" });
      expect(secret.stringData).toBeUndefined();
      expect(secret.type).toBe("Opaque");
    });

    test("a Secret's data that is not base64 is refused with 400", async () => {
      const { code } = await at().rest("POST", at().path("secrets"), { metadata: { name: "bad" }, data: { a: "***" } });
      expect(code).toBe(400);
    });

    test("a PersistentVolumeClaim is Pending and of the mode Filesystem", async () => {
      const claim = await at().create("persistentvolumeclaims", {
        metadata: { name: "claim" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "none" },
      });
      expect(claim).toMatchObject({ spec: { volumeMode: "Filesystem" }, status: { phase: "Pending" } });
      expect(claim.metadata?.finalizers).toEqual(["kubernetes.io/pvc-protection"]);
    });

    test("a PersistentVolume is kept after its claim and protected while it is used", async () => {
      const name = `volume-${at().namespace}`;
      const object = {
        metadata: { name },
        spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/tmp/none" } },
      };
      const volume = expectCode(201, await at().rest("POST", "/api/v1/persistentvolumes", object));
      expect(volume.spec).toMatchObject({ persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem" });
      expect(volume.metadata?.finalizers).toEqual(["kubernetes.io/pv-protection"]);
      await at().rest("DELETE", `/api/v1/persistentvolumes/${name}`);
    });

    test("a StorageClass deletes its volumes and binds them at once", async () => {
      const name = `class-${at().namespace}`;
      const path = "/apis/storage.k8s.io/v1/storageclasses";
      const created = await at().rest("POST", path, { metadata: { name }, provisioner: "example.com/none" });
      expect(expectCode(201, created)).toMatchObject({ reclaimPolicy: "Delete", volumeBindingMode: "Immediate" });
      await at().rest("DELETE", `${path}/${name}`);
    });

    test("a Deployment rolls, with one replica and a history of ten", async () => {
      const deployment = await at().create("apps/v1/deployments", {
        metadata: { name: "defaults" },
        spec: { selector, template },
      });
      expect(deployment.spec).toMatchObject({
        replicas: 1,
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
        template: { spec: { restartPolicy: "Always", dnsPolicy: "ClusterFirst" } },
      });
    });

    test("a Deployment whose selector misses its own template is refused", async () => {
      const spec = { selector: { matchLabels: { app: "other" } }, template };
      const { code, body } = await at().rest("POST", at().path("apps/v1/deployments"), {
        metadata: { name: "x" },
        spec,
      });
      expect(code).toBe(422);
      expect(body.message).toContain("`selector` does not match template `labels`");
    });

    test("Events are found by the fields of what they are about", async () => {
      const involvedObject = { kind: "Pod", namespace: at().namespace, name: "found", uid: "u-1" };
      await at().create("events", { metadata: { name: "about" }, involvedObject, reason: "Killed", type: "Warning" });
      const selector = "involvedObject.name=found,involvedObject.uid=u-1,reason=Killed,type=Warning";
      const path = `${at().path("events")}?fieldSelector=${encodeURIComponent(selector)}`;
      const { body } = await at().rest<{ items: KubeObject[] }>("GET", path);
      expect(body.items.map(({ metadata }) => metadata?.name)).toEqual(["about"]);
    });

    test("a Lease's times keep their microseconds", async () => {
      const renewTime = "2026-01-02T03:04:05.123456Z";
      const lease = await at().create("coordination.k8s.io/v1/leases", {
        metadata: { name: "exact" },
        spec: { renewTime },
      });
      expect(lease.spec).toEqual({ renewTime });
    });
  });
}
