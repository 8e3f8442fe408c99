import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { endState } from "../../checks/end-state.ts";
import { TEMPLATE_SPEC, templateEntries } from "../entries/template-entries.ts";
import { createStores } from "./needs.ts";
import type { Scene } from "./scene.ts";

const RESTORE = "b";

/**
 * A restore into a cluster that does not exist, of a backup that does not exist either: it has failed, and starts again
 * with every edit.
 */
export const templateScene: Scene = {
  resource: ownResources.etcdRestores,
  name: RESTORE,
  spec: TEMPLATE_SPEC,
  specInTrouble: TEMPLATE_SPEC,
  entries: templateEntries,
  troubles: [],
  async prepare(stage, spec) {
    await createStores(stage);
    await stage.create(ownResources.etcdRestores, RESTORE, { spec });
    await stage.time.until(() => templateScene.unsettled(stage).length === 0, LIMIT_MS);
  },
  unsettled({ restore }) {
    const { metadata, status } = restore ?? {};
    const isOver = status?.phase === "Failed" && status.observedGeneration === metadata?.generation;
    return isOver ? [] : [`it is ${status?.phase} instead of Failed`];
  },
  told: ({ restore }) => [restore?.status?.reason ?? ""],
  picture: ({ objects }) => endState(objects),
  harm: ({ objects }) =>
    objects.of(ownResources.etcdClusters).map(({ metadata }) => `${metadata.name} was made of nothing`),
};

const LIMIT_MS = 600_000;
