import { ObjectStoreError } from "@etcd-operator/object-store";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { NAMESPACE } from "../../world/world.ts";
import type { Accident } from "../accident.ts";

const BEGUN_LIMIT_MS = 60_000;

/** A restore is requested, and canceled before the restored cluster serves. */
export const restoreWithdrawn: Accident = {
  id: "restore-withdrawn",
  happen: async (scene) => {
    const name = await scene.applyRestore();
    const isBegun = () => scene.stage.cluster?.status?.restore?.name === name;
    // Where it cannot begin, as when the store is away, it is withdrawn all the same.
    await scene.stage.time.until(isBegun, BEGUN_LIMIT_MS);
    const { phase, conditions } = scene.restoreNamed(name)?.status ?? {};
    if (isBegun() || phase || conditions) scene.met.push("restore-withdrawn");
    await scene.stage.user.delete(ownResources.etcdRestores, { namespace: NAMESPACE, name });
  },
};

/** The store of the backups does not answer. */
export const storeAway: Accident = {
  id: "store-away",
  happen: async (scene) => {
    scene.backups.store.beforeCall = (operation) => {
      if (!scene.met.includes("store-away")) scene.met.push("store-away");
      throw new ObjectStoreError("unavailable", { operation, message: "the connection timed out" });
    };
  },
  end: async (scene) => {
    await scene.until(() => scene.met.includes("store-away"), "a call of the store");
    scene.backups.store.beforeCall = () => undefined;
  },
};
