import { restoredByHand } from "./human.ts";
import { lineageOf } from "./lineage.ts";
import { BACKUP_POLICY, type Scene } from "./scene.ts";

/** So many that the oldest of them have to go. */
const RUNS = BACKUP_POLICY.maxBackups + 1;

/**
 * A backup is restored without raising its revisions, so what the restored cluster writes has lower ones than the
 * backups that were taken before. Those of the living cluster are newer all the same, and have to be kept.
 */
export async function backedUpWithLowerRevisions(scene: Scene): Promise<readonly string[]> {
  const { stage } = scene;
  for (let run = 1; run < RUNS; run += 1) await nextBackup(scene);
  const failures = await restoredByHand(scene, { key: scene.backupKeys[0] ?? "", revisionBump: 0 });
  await scene.until(() => stage.unsettled().length === 0, "the restored cluster");
  const { clusterId } = lineageOf(scene);
  const taken: string[] = [];
  while (taken.length < RUNS) {
    const next = await nextBackup(scene);
    if (scene.storedBackup(next).clusterId === clusterId) taken.push(next);
  }
  const due = taken.slice(-BACKUP_POLICY.maxBackups);
  const gone = due.filter((each) => !scene.backupKeys.includes(each));
  return [...failures, ...gone.map((each) => `${each} of the living cluster is gone, and older ones are kept`)];
}

async function nextBackup(scene: Scene): Promise<string> {
  const before = scene.newestBackup;
  await scene.until(() => scene.newestBackup !== before, "the next backup");
  // What is outdated then goes, too.
  await scene.stage.time.pass(RETENTION_MS);
  return scene.newestBackup ?? "";
}

const RETENTION_MS = 10_000;
