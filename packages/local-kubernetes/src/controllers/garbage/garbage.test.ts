import assert from "node:assert/strict";
import type { KubeObject } from "@etcd-operator/kubernetes-client";
import { namespaced, resources } from "@etcd-operator/kubernetes-client";
import { ControllersUnderTest, serversWithoutControllers } from "@etcd-operator/testing/local/controllers.ts";
import { titleWith } from "@etcd-operator/testing/skipped.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

for (const { name, start, lack } of serversWithoutControllers) {
  describe.skipIf(lack)(titleWith(`on ${name}`, lack), () => {
    let on: ControllersUnderTest;
    beforeAll(async () => {
      on = await ControllersUnderTest.start(start);
    });
    afterAll(() => on?.stop());

    test("what belongs to an owner goes with it, however that is deleted", async () => {
      const namespace = await on.aNamespace();
      for (const propagationPolicy of ["Background", "Foreground", "Orphan"] as const) {
        const [owner, child, grandchild] = await aFamily(on, namespace, propagationPolicy.toLowerCase());
        await on.client.delete(resources.configMaps, owner, { propagationPolicy });
        await on.gone(resources.configMaps, owner);
        if (propagationPolicy === "Orphan") {
          const kept = await on.client.get(resources.configMaps, child);
          assert.deepEqual(kept.metadata.ownerReferences ?? [], []);
          await on.client.get(resources.configMaps, grandchild);
          continue;
        }
        if (propagationPolicy === "Foreground") {
          await assert.rejects(on.client.get(resources.configMaps, grandchild), { code: "not-found" });
          await assert.rejects(on.client.get(resources.configMaps, child), { code: "not-found" });
        }
        await on.gone(resources.configMaps, child);
        await on.gone(resources.configMaps, grandchild);
      }
    });

    test("what has another owner stays, and an owner of the same name but another uid is none", async () => {
      const namespace = await on.aNamespace();
      const [one, other] = [await on.aConfigMap(namespace, "one"), await on.aConfigMap(namespace, "other")];
      await on.aConfigMap(namespace, "both", [one, other]);
      await on.aConfigMap(namespace, "foreign", [
        { ...one, metadata: { ...one.metadata, uid: "11111111-2222-3333-4444-555555555555" } },
      ]);
      await on.gone(resources.configMaps, { namespace, name: "foreign" });
      await on.client.delete(resources.configMaps, one.metadata);
      await on.there(
        resources.configMaps,
        { namespace, name: "both" },
        ({ metadata }) => metadata.ownerReferences?.length === 1,
      );
      await on.client.delete(resources.configMaps, other.metadata);
      await on.gone(resources.configMaps, { namespace, name: "both" });
    });

    test("objects of a new kind own others at once", async () => {
      const namespace = await on.aNamespace();
      const schema = { openAPIV3Schema: { type: "object" } };
      const names = { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" };
      const crd = await on.client.create(resources.customResourceDefinitions, {
        metadata: { name: "things.example.com" },
        spec: {
          group: "example.com",
          names,
          scope: "Namespaced",
          versions: [{ name: "v1", served: true, storage: true, schema }],
        },
      });
      const things = namespaced<KubeObject>("example.com/v1", "Thing", "things");
      const create = () => on.client.create(things, { metadata: { name: "a", namespace } }).catch(() => undefined);
      const thing = await until(create, { what: "the new kind", everyMs: 10 });
      await on.aConfigMap(namespace, "owned", [thing]);
      await on.client.delete(things, thing.metadata, { propagationPolicy: "Foreground" });
      await on.gone(things, thing.metadata);
      await on.gone(resources.configMaps, { namespace, name: "owned" });
      await on.client.delete(resources.customResourceDefinitions, crd.metadata);
      await on.gone(resources.customResourceDefinitions, crd.metadata);
    });

    test("a namespace that is deleted ends with all that is in it, after what has to end first", async () => {
      const namespace = await on.aNamespace();
      const containers = [{ name: "main", image: "none" }];
      await on.client.create(resources.pods, { metadata: { namespace, name: "last" }, spec: { containers } });
      await on.there(resources.pods, { namespace, name: "last" }, ({ spec }) => spec?.nodeName === "local");
      const held = { metadata: { namespace, name: "held", finalizers: ["example.com/hold"] } };
      await on.client.create(resources.configMaps, held);
      await on.client.delete(resources.namespaces, { name: namespace });
      // There is no kubelet that would end it.
      await on.there(resources.pods, { namespace, name: "last" }, ({ metadata }) => metadata.deletionTimestamp);
      await on.client.delete(resources.pods, { namespace, name: "last" }, { gracePeriodSeconds: 0 });
      await on.gone(resources.pods, { namespace, name: "last" });
      await on.client.get(resources.namespaces, { name: namespace });
      await on.client.patch(resources.configMaps, held.metadata, { merge: { metadata: { finalizers: null } } });
      await on.gone(resources.namespaces, { name: namespace });
    });

    test("nothing of this was worth a complaint", () => {
      assert.deepEqual(on.logged, []);
    });
  });
}

/** An owner, its child and the child of that. */
async function aFamily(on: ControllersUnderTest, namespace: string, prefix: string) {
  const owner = await on.aConfigMap(namespace, `${prefix}-owner`);
  const child = await on.aConfigMap(namespace, `${prefix}-child`, [owner]);
  const grandchild = await on.aConfigMap(namespace, `${prefix}-grandchild`, [child]);
  return [owner.metadata, child.metadata, grandchild.metadata] as const;
}
