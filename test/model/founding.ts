import { converge, pass } from "./converge.ts";
import { multisets } from "./exhaustive.ts";
import { takeOnPod } from "./pod-steps.ts";
import { settleEtcds } from "./quiet.ts";
import { refreshReadiness } from "./steps.ts";
import { newWorld, type World } from "./world.ts";

/** What can become of an initial member before its cluster is complete. */
const FOUNDERS = [
  /** The operator died before it made the pod. */
  "not-made",
  "pending",
  "up",
  "crashed",
  "hidden",
  /** Its pod was deleted, or evicted, after it ran. */
  "gone",
  "ended",
  /** Evicted before it ever ran. */
  "never-ran",
] as const;

type Founder = (typeof FOUNDERS)[number];

export interface Founding {
  readonly founders: readonly Founder[];
  readonly hasClaims: boolean;
  /** Whether the cluster was recorded before the misfortunes. */
  readonly isRecorded: boolean;
}

/** Every cluster of up to five initial members in the middle of bootstrapping; a sequential start has one alone. */
export function* everyFounding(hasClaims: boolean): Generator<Founding> {
  for (let count = 1; count <= 5; count += 1) {
    for (const founders of multisets(FOUNDERS, count)) {
      for (const isRecorded of [false, true]) yield { founders, hasClaims, isRecorded };
    }
  }
}

/** What goes wrong from there on. */
export async function failureOfFounding(founding: Founding, known: Set<string>): Promise<string | undefined> {
  const world = await worldInFounding(founding);
  const { why, sentence } = await pass(world);
  if (why) return `${why}; by ${sentence}`;
  const end = await converge(world, { nodesReturn: true, ...(founding.isRecorded && { known }) });
  return end.kind === "failed" ? `${end.why}; after ${[sentence, ...end.log].slice(-3).join("; ")}` : undefined;
}

async function worldInFounding({ founders, hasClaims, isRecorded }: Founding): Promise<World> {
  const rest = { isParallel: founders.length > 1, hasLearners: true, keepsClaims: false, isOld: false };
  const world = newWorld({ size: founders.length, hasClaims, ...rest });
  // Services, the declaration, the pods.
  for (let passes = 0; passes < 3; passes += 1) await pass(world);
  const pods = [...world.pods.values()];
  for (const [index, pod] of pods.entries()) {
    const founder = founders[index] ?? "up";
    if (founder === "not-made") forget(world, pod.name);
    if (!["not-made", "pending", "never-ran"].includes(founder)) takeOnPod(world, pod, "start");
  }
  settleEtcds(world);
  refreshReadiness(world);
  if (isRecorded) await pass(world);
  for (const [index, pod] of pods.entries()) befall(world, pod.name, founders[index] ?? "up");
  refreshReadiness(world);
  return world;
}

function befall(world: World, name: string, founder: Founder): void {
  const pod = world.pods.get(name);
  if (!pod) return;
  if (founder === "crashed") takeOnPod(world, pod, "crash");
  if (founder === "hidden") takeOnPod(world, pod, "hide");
  if (founder === "ended" || founder === "never-ran") takeOnPod(world, pod, "evict");
  if (founder === "gone") {
    takeOnPod(world, pod, "delete");
    takeOnPod(world, pod, "finish");
  }
}

function forget(world: World, name: string): void {
  world.pods.delete(name);
  world.claims.delete(name);
}
