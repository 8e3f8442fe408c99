import { restoreWithdrawn } from "./accidents/backups.ts";
import { majorityLost } from "./accidents/disks.ts";
import { clusterDeleted, orphaned } from "./accidents/objects.ts";
import type { Act, ActName, Stake } from "./act.ts";
import { restoredByHand } from "./human.ts";
import { lineageOf } from "./lineage.ts";
import type { Scene } from "./scene.ts";

const SIZES = [3, 5] as const;
/** Longer than the grace of `spec.recovery` in sequences, and than what follows it. */
const RECOVERY_MS = 180_000;

export const ACTS: Readonly<Record<ActName, Act>> = {
  delete: same(async ({ scene }) => clusterDeleted.happen(scene)),
  orphan: same(async ({ scene }) => orphaned.happen(scene)),
  "roll-back": same(async ({ scene }) => restoreWithdrawn.happen(scene)),
  scale: same(async ({ scene }) => {
    const size = scene.stage.cluster?.spec.size === SIZES[0] ? SIZES[1] : SIZES[0];
    await scene.scale(size);
    scene.met.push("scale");
  }),
  backup: same(async ({ scene }) => {
    const before = scene.newestBackup;
    await scene.until(() => scene.newestBackup !== before, "the next backup");
    scene.met.push("backup");
  }),
  restore: async (stake) => {
    const { scene, random } = stake;
    // Also one of an earlier lineage: what was rolled back may be wanted again.
    const key = random.pick(scene.backupKeys);
    if (!key) throw new Error("there is no backup");
    // Without a bump its revisions are below those of backups that were taken before.
    const asked = { key, ...(random.chance(0.5) && { revisionBump: 0 }) };
    return passed(stake, keysOf(scene, key), async () => restoredByHand(scene, asked));
  },
  recover: async (stake) =>
    passed(stake, stake.inheritance.owed, async () => {
      await majorityLost.happen(stake.scene);
      return [];
    }),
  "recover-from-backup": async (stake) => {
    const { scene, inheritance } = stake;
    const own = scene.newestBackupOf(inheritance.clusterId);
    const key = own ?? scene.restoredKey;
    if (!key) throw new Error("there is no backup of this cluster");
    return passed(stake, keysOf(scene, key), async () => {
      for (const pod of scene.stage.memberPods) await scene.loseDisk(pod);
      if (own) return [];
      // Any other backup is older than what was restored last: where the operator does not know that one, it must leave
      // it to a person.
      const isPassed = () => lineageOf(scene).clusterId !== inheritance.clusterId;
      const isRecovered = await scene.stage.time.until(isPassed, RECOVERY_MS);
      return isRecovered ? [] : restoredByHand(scene, { key });
    });
  },
};

/** After which the etcd cluster is the same as before. */
function same(act: (stake: Stake) => Promise<void>): Act {
  return async (stake) => {
    await act(stake);
    await settled(stake.scene);
    const { clusterId } = lineageOf(stake.scene);
    const { clusterId: before } = stake.inheritance;
    return clusterId === before ? [] : [`etcd cluster ${before} has become ${clusterId}`];
  };
}

/** After which another etcd cluster goes on, with what was restored. */
async function passed(
  { scene, inheritance }: Stake,
  inherited: Pick<ReadonlySet<string>, "has">,
  act: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const { clusterId: before } = inheritance;
  const failures = await act();
  const isPassed = () => lineageOf(scene).clusterId !== before;
  await scene.until(isPassed, "a restored cluster");
  await settled(scene);
  // Beside those of another cluster its own would not come back by themselves, should it be deleted.
  await scene.deleteKeptClaims();
  inheritance.passTo(lineageOf(scene).clusterId ?? "", inherited);
  return failures;
}

async function settled(scene: Scene): Promise<void> {
  await scene.until(() => scene.stage.unsettled().length === 0, "the end of an act");
}

function keysOf(scene: Scene, key: string): Pick<ReadonlySet<string>, "has"> {
  const { snapshot } = scene.storedBackup(key);
  if (!snapshot) throw new Error(`${key} is no snapshot`);
  return snapshot.keys;
}
