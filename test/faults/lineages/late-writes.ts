import { RESTORE_ANNOTATION } from "@etcd-operator/operator/api/restore-request.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import type { Asked } from "../world/in-process-carrier.ts";
import { placesLeft } from "./data-kept.ts";
import { inShort } from "./ledger.ts";
import type { Scene } from "./scene.ts";

/** For how long clients write what the safety snapshot does not have. */
const MEANWHILE_MS = 20_000;
const UNATTENDED_MS = 90_000;

/**
 * The existing data is saved, and right when the restore is requested the cluster is paused, and serves on: what
 * clients write then is in no store, so the claims that have it must stay when the restored cluster is complete.
 */
export async function writtenAfterSaving(scene: Scene): Promise<readonly string[]> {
  const { stage, ledger } = scene;
  const pausing = pausedWhenAsked(scene);
  const name = await scene.applyRestore();
  const status = () => scene.restoreNamed(name)?.status;
  await scene.until(
    () => stage.cluster?.spec.paused === true,
    "the request of a restore",
    () => status()?.reason,
  );
  await pausing;
  const saved = ledger.writes.length;
  await stage.time.pass(MEANWHILE_MS);
  const late = new Set(ledger.writes.slice(saved).map(({ key }) => key));
  await stage.changeCluster({ paused: false });
  await scene.until(
    () => status()?.succeeded === true && stage.unsettled().length === 0,
    `the end of EtcdRestore ${name}`,
    () => status()?.reason,
  );
  await stage.time.pass(UNATTENDED_MS);
  const lost = ledger.missingFrom(...placesLeft(scene)).filter(({ key }) => late.has(key));
  return [
    ...(late.size > 0 ? [] : ["never happened: a write after what was there had been saved"]),
    ...(lost.length > 0 ? [`neither a claim nor a backup has the acknowledged writes ${inShort(lost)}`] : []),
  ];
}

/** At the moment when the EtcdRestore has saved the existing data, and requests the restore. */
function pausedWhenAsked({ world, stage }: Scene): Promise<void> {
  const see = world.onRequest;
  return new Promise((resolve, reject) => {
    world.onRequest = (asked) => {
      see(asked);
      if (!isRequest(asked)) return;
      world.onRequest = see;
      stage.changeCluster({ paused: true }).then(resolve, reject);
    };
  });
}

function isRequest({ method, path, body }: Asked): boolean {
  const isOfCluster = path.includes(`/${ownResources.etcdClusters.plural}/`);
  return method === "PATCH" && isOfCluster && (body ?? "").includes(`"${RESTORE_ANNOTATION}"`);
}
