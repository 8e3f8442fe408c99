import { differencesBut } from "../checks/late-founders.ts";
import type { RealOutcome } from "./run-workload.ts";
import type { RealWorkload } from "./workload.ts";

const SHOWN = 400;
/** What real etcd says differently every time, and what certificates of another namespace are. */
const PASSING: readonly (readonly [RegExp, string])[] = [
  [/(\.databaseSizeBytes) = .*/, "$1 = …"],
  [/\b\d+ bytes\b/, "… bytes"],
  [/(\.spec\.volumeName) = .*/, "$1 = …"],
  [/^(secrets\/.*\.data\..*) = .*/, "$1 = …"],
];
/** What Kubernetes says of its own objects, it says in its own time. */
const OF_OTHERS = /^(poddisruptionbudgets|persistentvolumeclaims|services)\/[^.]*\.status/;

/** What is wrong with the runs of a plan: a write that came in none of them, and whatever any of them did. */
export function planFailuresOf(calm: RealOutcome, runs: readonly RealOutcome[], write: string): readonly string[] {
  const sent = runs.map((run, at) => `${run.sent.join(", ")} in run ${at + 1}`).join("; ");
  const isReached = runs.some(({ wasInjected }) => wasInjected);
  return [
    ...(isReached ? [] : [`there was no ${write}, but ${sent}`]),
    ...runs.flatMap((run) => failuresOf(calm, run)),
  ];
}

/** What is wrong with a run, beside the run without faults. */
export function failuresOf(calm: RealOutcome, run: RealOutcome): readonly string[] {
  if (run.missing.length > 0) return [...run.violations, ...run.missing.map((what) => `not done: ${what}`)];
  const late = run.lateFounders - calm.lateFounders;
  const different = differencesBut(late, comparable(calm), comparable(run));
  return [...run.violations, ...different.map((line) => line.slice(0, SHOWN))];
}

function comparable({ endState, comingsAndGoings, namespace }: RealOutcome) {
  return {
    comingsAndGoings,
    endState: endState
      .filter((line) => !OF_OTHERS.test(line))
      .map((line) => PASSING.reduce((masked, [what, by]) => masked.replace(what, by), line))
      .map((line) => line.replaceAll(namespace, "<namespace>")),
  };
}

/** What is wrong with a run without faults: a write of a kind of which none ever goes wrong, or one that is missing. */
export function calmFailuresOf({ writes, maySend = [] }: RealWorkload, calm: RealOutcome): readonly string[] {
  const known = new Set([...writes, ...maySend].map(kindOf));
  const unknown = calm.sent.filter((write) => !known.has(kindOf(write)) && !write.startsWith("note-"));
  const absent = writes.filter((write) => !calm.sent.includes(write));
  return [
    ...calm.violations,
    ...calm.missing.map((what) => `not done: ${what}`),
    ...unknown.map((write) => `${write} is on no list`),
    ...absent.map((write) => `${write} was not sent, but ${calm.sent.join(", ")}`),
  ];
}

/** Of "post-pods-2" and of "word-1-after-post-pods-2". */
function kindOf(write: string): string {
  return write.replace(/-\d+(-after-.*)?$/, "");
}
