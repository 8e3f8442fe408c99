import assert from "node:assert/strict";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { resources } from "@etcd-operator/kubernetes-client";
import { ControllersUnderTest, serversWithoutControllers } from "@etcd-operator/testing/local/controllers.ts";
import { titleWith } from "@etcd-operator/testing/skipped.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

for (const { name, start, lack } of serversWithoutControllers) {
  describe.skipIf(lack)(titleWith(`on ${name}`, lack), () => {
    let on: ControllersUnderTest;
    beforeAll(async () => {
      on = await ControllersUnderTest.start(start);
    });
    afterAll(() => on?.stop());

    test("every namespace gets its ServiceAccount and the root certificate, again when they are deleted", async () => {
      const namespace = await on.aNamespace();
      const root = { namespace, name: "kube-root-ca.crt" };
      await on.there(resources.configMaps, root, ({ data }) => data?.["ca.crt"]?.includes("BEGIN CERTIFICATE"));
      await on.client.delete(resources.serviceAccounts, { namespace, name: "default" });
      await on.there(resources.serviceAccounts, { namespace, name: "default" });
      await on.there(resources.services, { namespace: "default", name: "kubernetes" });
    });

    test("a pod is bound to the node, unless it cannot stand another that is there", async () => {
      const namespace = await on.aNamespace();
      const lonely = { labelSelector: { matchLabels: { app: "x" } }, topologyKey: "kubernetes.io/hostname" };
      const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [lonely] } };
      await on.client.create(resources.pods, aPod(namespace, "first", { app: "x" }, { affinity }));
      await on.there(resources.pods, { namespace, name: "first" }, ({ spec }) => spec?.nodeName === "local");
      await on.client.create(resources.pods, aPod(namespace, "second", { app: "x" }, { affinity }));
      const second = { namespace, name: "second" };
      const refused = await on.there(resources.pods, second, ({ status }) => status?.conditions?.[0]);
      assert.equal(refused.status?.conditions?.[0]?.reason, "Unschedulable");
      assert.match(
        refused.status?.conditions?.[0]?.message ?? "",
        /^0\/1 nodes are available: 1 node\(s\) didn't match pod/,
      );
      await on.client.delete(resources.pods, { namespace, name: "first" }, { gracePeriodSeconds: 0 });
      await on.there(resources.pods, second, ({ spec }) => spec?.nodeName === "local");
      const events = async () =>
        (await on.client.list(resources.events, { namespace })).items.map(({ reason }) => reason);
      await until(async () => (await events()).includes("FailedScheduling"), { what: "the event" });
    });

    test("endpoints follow pods as they change", async () => {
      const namespace = await on.aNamespace();
      await on.client.create(resources.services, {
        metadata: { name: "web", namespace },
        spec: { clusterIP: "None", selector: { app: "web" }, ports: [{ name: "http", port: 80, targetPort: "web" }] },
      });
      const ports = [{ name: "web", containerPort: 8080 }];
      const pod = aPod(namespace, "web-0", { app: "web" }, { hostname: "web-0", subdomain: "web" }, { ports });
      await on.client.create(resources.pods, pod);
      const ready = async () => {
        const { items } = await on.client.list(resources.endpointSlices, { namespace });
        return items.flatMap(({ endpoints, ports: numbers }) =>
          endpoints.map(({ addresses, hostname, conditions }) => [
            addresses[0],
            hostname,
            conditions?.ready,
            numbers?.[0]?.port,
          ]),
        );
      };
      for (const isReady of [true, false, true]) {
        await on.setPodStatus(namespace, "web-0", "10.240.0.9", isReady);
        await until(async () => (await ready()).some(([, , is]) => is === isReady), { what: "the endpoint" });
      }
      assert.deepEqual(await ready(), [["10.240.0.9", "web-0", true, 8080]]);
      await on.there(
        resources.endpoints,
        { namespace, name: "web" },
        ({ subsets }) => subsets?.[0]?.addresses?.length === 1,
      );
      await on.client.delete(resources.services, { namespace, name: "web" });
      await on.gone(resources.endpoints, { namespace, name: "web" });
      await until(async () => (await on.client.list(resources.endpointSlices, { namespace })).items.length === 0, {
        what: "the slices to go",
      });
    });

    test("a claim waits for a pod, is bound, grows, is kept while in use and takes its folder along", async () => {
      const namespace = await on.aNamespace();
      const ref = { namespace, name: "data" };
      await on.client.create(resources.persistentVolumeClaims, aClaim(ref, "1Gi"));
      await on.there(resources.persistentVolumeClaims, ref, ({ spec, status }) => {
        return spec?.storageClassName === "standard" && status?.phase === "Pending";
      });
      const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
      await on.client.create(resources.pods, aPod(namespace, "user", {}, { volumes }));
      const bound = await on.there(resources.persistentVolumeClaims, ref, ({ status }) => status?.phase === "Bound");
      assert.equal(bound.status?.capacity?.storage, "1Gi");
      const volume = { name: bound.spec?.volumeName ?? "" };
      const { spec } = await on.there(resources.persistentVolumes, volume, ({ status }) => status?.phase === "Bound");
      await on.there(resources.pods, { namespace, name: "user" }, (pod) => pod.spec?.nodeName === "local");
      const folder = spec?.hostPath?.path ?? "";
      assert.equal(folder, join(on.config.stateDir, "volumes", volume.name));
      assert.ok((await stat(folder)).isDirectory());
      await writeFile(join(folder, "file"), "kept");

      const larger = { spec: { resources: { requests: { storage: "2Gi" } } } };
      await on.client.patch(resources.persistentVolumeClaims, ref, { merge: larger });
      await on.there(resources.persistentVolumeClaims, ref, ({ status }) => status?.capacity?.storage === "2Gi");
      assert.equal((await on.client.get(resources.persistentVolumes, volume)).spec?.capacity?.storage, "2Gi");

      await on.client.delete(resources.persistentVolumeClaims, ref);
      await on.there(resources.persistentVolumeClaims, ref, ({ metadata }) => metadata.deletionTimestamp);
      await on.client.delete(resources.pods, { namespace, name: "user" }, { gracePeriodSeconds: 0 });
      await on.gone(resources.persistentVolumeClaims, ref);
      await on.gone(resources.persistentVolumes, volume);
      await assert.rejects(stat(folder), { code: "ENOENT" });
    });

    test("a volume that was made by hand is bound by its name, and kept when its claim goes", async () => {
      const namespace = await on.aNamespace();
      const name = `by-hand-${namespace}`;
      await on.client.create(resources.persistentVolumes, {
        metadata: { name },
        spec: {
          capacity: { storage: "5Gi" },
          accessModes: ["ReadWriteOnce"],
          hostPath: { path: "/nowhere" },
          storageClassName: "",
          persistentVolumeReclaimPolicy: "Retain",
        },
      });
      await on.there(resources.persistentVolumes, { name }, ({ status }) => status?.phase === "Available");
      const ref = { namespace, name: "data" };
      const claim = aClaim(ref, "1Gi");
      await on.client.create(resources.persistentVolumeClaims, {
        ...claim,
        spec: { ...claim.spec, volumeName: name, storageClassName: "" },
      });
      await on.there(resources.persistentVolumeClaims, ref, ({ status }) => status?.phase === "Bound");
      await on.client.delete(resources.persistentVolumeClaims, ref);
      await on.there(resources.persistentVolumes, { name }, ({ status }) => status?.phase === "Released");
    });

    test("a disruption budget counts healthy pods", async () => {
      const namespace = await on.aNamespace();
      for (const name of ["a", "b", "c"]) {
        await on.client.create(resources.pods, aPod(namespace, name, { app: "db" }));
        await on.setPodStatus(namespace, name, "10.240.0.9", name !== "c");
      }
      const selector = { matchLabels: { app: "db" } };
      const ref = { namespace, name: "db" };
      await on.client.create(resources.podDisruptionBudgets, { metadata: ref, spec: { minAvailable: 1, selector } });
      await on.there(resources.podDisruptionBudgets, ref, ({ status }) => status?.disruptionsAllowed === 1);
      await on.setPodStatus(namespace, "c", "10.240.0.9", true);
      const { status } = await on.there(
        resources.podDisruptionBudgets,
        ref,
        (it) => it.status?.disruptionsAllowed === 2,
      );
      assert.deepEqual([status?.currentHealthy, status?.desiredHealthy, status?.expectedPods], [3, 1, 3]);
      assert.equal(status?.observedGeneration, 1);
    });

    test("nothing of this was worth a complaint", () => {
      assert.deepEqual(on.logged, []);
    });
  });
}

function aPod(
  namespace: string,
  name: string,
  labels: Record<string, string> = {},
  spec: Partial<NonNullable<Pod["spec"]>> = {},
  container: object = {},
): Pod {
  const containers = [{ name: "main", image: "none", ...container }];
  return { metadata: { namespace, name, labels }, spec: { containers, ...spec } };
}

function aClaim(metadata: { namespace: string; name: string }, storage: string) {
  return { metadata, spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } } };
}
