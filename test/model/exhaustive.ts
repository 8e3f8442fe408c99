import { converge, pass } from "./converge.ts";
import { JOINERS, OUTDATED, RUNNING, type Start, VOTERS, type VoterSituation, worldAt } from "./situations.ts";
import type { Ground } from "./world.ts";

export type Family = Pick<Ground, "hasClaims" | "hasLearners">;

const MOST_MEMBERS = 5;

/** Every cluster of up to five members, each in one of the situations named, under every size up to five. */
export function* everyStart(family: Family, kinds: readonly VoterSituation[], most: number): Generator<Start> {
  for (let size = 1; size <= MOST_MEMBERS; size += 1) {
    const ground = { size, ...family, isParallel: false, keepsClaims: false, isOld: false };
    for (let count = 1; count <= most; count += 1) {
      for (const voters of multisets(kinds, count)) {
        for (const leader of leadersAmong(voters)) {
          yield { ground, voters, leader, joiner: undefined, hasStrays: false };
          if (count === MOST_MEMBERS) continue;
          yield { ground, voters, leader, joiner: undefined, hasStrays: true };
          for (const joiner of JOINERS) yield { ground, voters, leader, joiner, hasStrays: false };
        }
      }
    }
  }
}

/** Those that are up to what the spec asks for, or were; of the latter up to four, for there are more of them. */
export function* startsOf(family: Family, most = MOST_MEMBERS): Generator<Start> {
  yield* everyStart(family, VOTERS, most);
  yield* everyStart(family, ["healthy", "gone", "hidden", ...OUTDATED], Math.min(most, 4));
}

const MOST_SHOWN = 3;

/** What goes wrong, of the first few. */
export async function failuresAmong(starts: Iterable<Start>): Promise<readonly string[]> {
  const known = new Set<string>();
  const failures: string[] = [];
  for (const start of starts) {
    const why = await failureFrom(start, known);
    if (why) failures.push(`${JSON.stringify(start)}\n  ${why}`);
    if (failures.length >= MOST_SHOWN) break;
  }
  return failures;
}

/** What goes wrong from a start on: with the first action as things are, or on the way to where all is healthy. */
export async function failureFrom(start: Start, known: Set<string>): Promise<string | undefined> {
  const world = worldAt(start);
  const { why, sentence } = await pass(world);
  if (why) return `${why}; by ${sentence}`;
  const end = await converge(world, { nodesReturn: false, known });
  return end.kind === "failed" ? `${end.why}; after ${[sentence, ...end.log].slice(-3).join("; ")}` : undefined;
}

/** Members of one kind are alike, so it does not matter which of them is meant. */
export function* multisets<T>(kinds: readonly T[], count: number, from = 0): Generator<T[]> {
  if (count === 0) {
    yield [];
    return;
  }
  for (let index = from; index < kinds.length; index += 1) {
    for (const rest of multisets(kinds, count - 1, index)) yield [kinds[index] as T, ...rest];
  }
}

/** The soundest and the least sound of those that run; none where there is no majority. */
function leadersAmong(voters: readonly VoterSituation[]): (number | undefined)[] {
  const live = voters.flatMap((voter, index) => (RUNNING.includes(voter) ? [index] : []));
  if (live.length <= voters.length / 2) return [undefined];
  const [first, last] = [live[0] ?? 0, live.at(-1) ?? 0];
  return voters[first] === voters[last] ? [first] : [first, last];
}
