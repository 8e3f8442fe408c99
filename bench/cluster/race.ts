import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { aManifest } from "@etcd-operator/testing/scenario/cluster/a-manifest.ts";
import { repetitions } from "../repetitions.ts";
import { OPERATED } from "./by-operator.ts";
import { MeasuredCluster } from "./contestant.ts";
import type { Seen } from "./life-figures.ts";
import { inEmptyDirs, type Life, onClaims, onlyCreated, ROLLED_TO } from "./lives.ts";
import { LivesRun } from "./lives-run.ts";
import type { Stage } from "./stage.ts";
import { untilWhole } from "./whole-cluster.ts";

/** Lives that go on at the same time, step by step in turns, so that one cluster rests while another is busy. */
interface Group {
  readonly lives: readonly Life[];
  readonly rounds: number;
}

const groups: readonly Group[] = [
  { lives: [inEmptyDirs, onClaims], rounds: repetitions(5, 1) },
  // A probe of the kubelet comes a second sooner or later, which one sample may be made of; and these are short.
  { lives: [onClaims], rounds: repetitions(0, 2) },
  // An etcd that is alone elects itself after a tenth of a second, or a whole one, by chance: it takes many to tell
  // them apart.
  { lives: [onlyCreated("Sequential", 1)], rounds: repetitions(15, 3) },
  { lives: [onlyCreated("Parallel", 1)], rounds: repetitions(15, 1) },
  { lives: [onlyCreated("Parallel", 5)], rounds: repetitions(5, 1) },
  // Three times etcd's 5 s, on both sides: nothing for who is in a hurry.
  { lives: [onlyCreated("Sequential", 5)], rounds: repetitions(5, 0) },
];

/**
 * Programs that have just started are slower than they will ever be again: a round that does not count, with all that
 * will be used.
 */
export async function warmUp(stage: Stage): Promise<void> {
  const run = new LivesRun(stage, [onClaims], "warm");
  await run.round(2);
  await pullOtherVersion(stage);
}

/** What a roll will start must not be fetched in the middle of the first. */
async function pullOtherVersion({ world }: Stage): Promise<void> {
  const manifest = aManifest("warm-version", { namespace: OPERATED, size: 1, version: ROLLED_TO });
  await world.client.create(ownResources.etcdClusters, manifest as unknown as EtcdCluster);
  const cluster = new MeasuredCluster(world, OPERATED, "warm-version");
  await untilWhole(world, cluster, { size: 1 });
  await cluster.end();
}

/** Everything that clusters go through, by the operator and by hand in turns. */
export async function measureLives(stage: Stage): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  for (const [index, { lives, rounds }] of groups.entries()) {
    const run = new LivesRun(stage, lives, `${index}`);
    for (let round = 0; round < rounds; round += 1) await run.round();
    if (rounds > 0) seen.push(...run.seen);
  }
  return eachOnce(seen);
}

/** One of each step, with all that was seen of it. */
function eachOnce(seen: readonly Seen[]): readonly Seen[] {
  const names = [...new Set(seen.map(({ step }) => step.name))];
  return names.flatMap((name) => {
    const same = seen.filter(({ step }) => step.name === name);
    const samples = { ours: same.flatMap(({ ours }) => ours), theirs: same.flatMap(({ theirs }) => theirs) };
    return same.slice(0, 1).map(({ step }) => ({ step, ...samples }));
  });
}
