import { converge, pass } from "./converge.ts";
import { healthyPods, majoritySide, votersIn } from "./etcd-model.ts";
import { NO_SUCH_IMAGE, NO_SUCH_VERSION, NO_SUCH_ZONE } from "./kubelet-model.ts";
import { correct, letRun } from "./quiet.ts";
import { worldAt } from "./situations.ts";
import { type Step, take } from "./steps.ts";
import { type Ground, recordedEtcd, type World } from "./world.ts";

const MISTAKES: readonly Step[] = [
  { do: "edit-image", repository: NO_SUCH_IMAGE },
  { do: "edit-version", version: NO_SUCH_VERSION },
  { do: "edit-zone", zone: NO_SUCH_ZONE },
];

/** A cluster that is complete, and whose user asks for something that does not exist. */
export interface Mistake {
  readonly ground: Ground;
  readonly mistake: Step;
  /** How many reconciles there are for each sync of the kubelets. */
  readonly passes: number;
}

export function* everyMistake(): Generator<Mistake> {
  for (let size = 1; size <= 5; size += 1) {
    for (const hasClaims of [false, true]) {
      for (const hasLearners of [false, true]) {
        const ground = { size, hasClaims, hasLearners, isParallel: false, keepsClaims: false, isOld: false };
        for (const mistake of MISTAKES) {
          if (mistake.do === "edit-version" && !hasLearners) continue;
          for (const passes of [1, 3]) yield { ground, mistake, passes };
        }
      }
    }
  }
}

const ROUNDS = 60;
const LAST_ROUNDS = 30;

/** What goes wrong: more than one member lost, no rest, or no way back once the mistake is corrected. */
export async function failureOfHalting({ ground, mistake, passes }: Mistake): Promise<string | undefined> {
  const world = worldAt({
    ground,
    voters: Array(ground.size).fill("healthy"),
    leader: 0,
    joiner: undefined,
    hasStrays: false,
  });
  const members = namesIn(world);
  take(world, mistake);
  const log: string[] = [];
  let lastEffect = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let number = 0; number < passes; number += 1) {
      const { sentence, why, action } = await pass(world);
      log.push(sentence);
      if (why) return `${why}; after ${log.slice(-4).join("; ")}`;
      if (action.kind !== "hold") lastEffect = round;
    }
    letRun(world, true);
    const absent = absentIn(world);
    if (absent > 1) return `${absent} are down; after ${log.slice(-12).join("; ")}`;
  }
  if (lastEffect >= ROUNDS - LAST_ROUNDS) return `it never rests: ${log.slice(-12).join("; ")}`;
  correct(world);
  // The kubelets take their time with it.
  for (let number = 0; number < PASSES_BEFORE_KUBELETS; number += 1) log.push((await pass(world)).sentence);
  const end = await converge(world, { nodesReturn: true });
  if (end.kind === "failed") return `${end.why}; after ${end.log.slice(-4).join("; ")}`;
  const hasKept = namesIn(world) === members || !staysWhereItIs(ground, mistake);
  return hasKept ? undefined : `it cost a member: ${log.slice(-8).join("; ")}`;
}

const PASSES_BEFORE_KUBELETS = 5;

/** Whether a member gets it where its data is, so that no member is lost by it. */
function staysWhereItIs({ size, hasClaims, hasLearners }: Ground, mistake: Step): boolean {
  return (size > 2 || !hasLearners) && (hasClaims || mistake.do !== "edit-zone");
}

function namesIn(world: World): string {
  const members = recordedEtcd(world)?.members ?? [];
  return members
    .map(({ host }) => host)
    .sort()
    .join();
}

/** How many of the members that the spec asks for do not serve. */
function absentIn(world: World): number {
  const etcd = recordedEtcd(world);
  if (!etcd) return world.cluster.spec.size;
  const there =
    majoritySide(world, etcd).length > 0
      ? healthyPods(world)
      : new Set([...world.pods.values()].filter(({ isUp }) => isUp));
  const voters = votersIn(etcd).filter(({ host }) => [...there].some(({ name }) => name === host));
  return world.cluster.spec.size - voters.length;
}
