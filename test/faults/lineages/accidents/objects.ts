import { resources } from "@etcd-operator/kubernetes-client";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { CLUSTER } from "../../workloads/stage.ts";
import { NAMESPACE } from "../../world/world.ts";
import type { Accident } from "../accident.ts";
import type { Scene } from "../scene.ts";

/** `kubectl delete etcd a`, and whatever keeps manifests applied applies this one again at once. */
export const clusterDeleted: Accident = {
  id: "cluster-deleted",
  happen: (scene) => recreated(scene, "Background"),
};

/** `kubectl delete etcd a --cascade=orphan`: pods, Services and claims stay, and belong to none. */
export const orphaned: Accident = {
  id: "orphaned",
  happen: (scene) => recreated(scene, "Orphan"),
};

async function recreated(scene: Scene, propagationPolicy: "Background" | "Orphan"): Promise<void> {
  const { user, cluster } = scene.stage;
  await user.delete(ownResources.etcdClusters, { namespace: NAMESPACE, name: CLUSTER }, { propagationPolicy });
  await scene.until(() => scene.stage.cluster === undefined, "the end of the EtcdCluster");
  await scene.applyCluster();
  if (scene.stage.cluster?.metadata.uid !== cluster?.metadata.uid) {
    scene.met.push(propagationPolicy === "Orphan" ? "orphaned" : "cluster-deleted");
  }
}

/**
 * `kubectl delete -f deploy/crd`: all objects of ours go, and the owners of everything else; then all manifests are
 * applied again.
 */
export const crdDeleted: Accident = {
  id: "crd-deleted",
  happen: async (scene) => {
    const { user } = scene.stage;
    const { items } = await user.list(resources.customResourceDefinitions);
    for (const { metadata } of items) await user.delete(resources.customResourceDefinitions, metadata);
    await scene.until(() => scene.stage.cluster === undefined, "the end of the EtcdCluster");
    await gone(scene);
    for (const { metadata, spec } of items) {
      const { name, annotations } = metadata;
      await user.create(resources.customResourceDefinitions, {
        metadata: { name, ...(annotations && { annotations }) },
        spec,
      });
    }
    await served(scene);
    await scene.applyCluster();
    await scene.applyBackup();
    scene.met.push("crd-deleted");
  },
};

/** They wait for their objects, and some of those for the operator. */
async function gone(scene: Scene): Promise<void> {
  for (let left = 1; left > 0; ) {
    const { items } = await scene.stage.user.list(resources.customResourceDefinitions);
    left = items.length;
    if (left > 0) await scene.stage.time.pass(500);
  }
}

async function served({ stage }: Scene): Promise<void> {
  const isServed = async (listed: Promise<unknown>) =>
    listed.then(
      () => true,
      () => false,
    );
  const options = { namespace: NAMESPACE };
  for (;;) {
    const { user } = stage;
    const all = [
      isServed(user.list(ownResources.etcdClusters, options)),
      isServed(user.list(ownResources.etcdBackups, options)),
      isServed(user.list(ownResources.etcdRestores, options)),
    ];
    if ((await Promise.all(all)).every(Boolean)) return;
    await stage.time.pass(100);
  }
}
