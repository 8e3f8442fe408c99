import { ACCEPTED, unexplained } from "./accepted.ts";
import type { Compared, Difference } from "./compare.ts";
import { inWords } from "./request.ts";
import type { Told } from "./run-stories.ts";

/** A difference that nothing explains, with what led to it. */
export interface Finding {
  readonly told: Told;
  /** Which of the story's requests. */
  readonly at: number;
  readonly differences: readonly Difference[];
}

export interface Findings {
  readonly requests: number;
  readonly found: readonly Finding[];
  /** Accepted differences that did not show up. */
  readonly unused: readonly string[];
}

export function findingsOf(told: readonly Told[]): Findings {
  const used = new Set<string>();
  const found = told.flatMap((each) =>
    each.compared.flatMap((result, at) => {
      const differences = unexplained(result, used);
      return differences.length > 0 ? [{ told: each, at, differences }] : [];
    }),
  );
  const unused = ACCEPTED.map(({ name }) => name).filter((name) => !used.has(name));
  return { requests: told.reduce((sum, { compared }) => sum + compared.length, 0), found, unused };
}

/** One of each sort, the most frequent first. */
export function groupsOf(
  found: readonly Finding[],
): { readonly signature: string; readonly findings: readonly Finding[] }[] {
  const groups = new Map<string, Finding[]>();
  for (const finding of found) {
    const signature = signatureOf(finding);
    groups.set(signature, [...(groups.get(signature) ?? []), finding]);
  }
  return [...groups]
    .map(([signature, findings]) => ({ signature, findings }))
    .sort((one, other) => other.findings.length - one.findings.length);
}

/** What a difference looks like without names, numbers and places in lists. */
function signatureOf({ told, at, differences }: Finding): string {
  const method = told.compared[at]?.request.method ?? "";
  const shape = ({ at: place, real, local }: Difference) =>
    place === "code" || place.endsWith(".message")
      ? `${place} ${short(real)} | ${short(local)}`
      : `${place} ${typeof real}|${typeof local}`;
  const places = [
    ...new Set(
      differences.map((each) =>
        shape(each)
          .replaceAll(/\d+/g, "#")
          .replaceAll(/"[^"]*"/g, '""'),
      ),
    ),
  ];
  return `${method} ${places.slice(0, 3).join("; ")}`;
}

/** The request, both answers, what led to them, and how to see it again. */
export function inLines({ told, at, differences }: Finding, seed: number, width = 600): string[] {
  const { story, compared } = told;
  const { request, real, local } = compared[at] as Compared;
  return [
    `story ${story.seed} (${story.about}), request ${at + 1}: ${inWords(request)}`,
    ...differences
      .slice(0, 8)
      .flatMap(({ at: place, real: one, local: other }) => [
        `  ${place}`,
        `    real:  ${short(one, width)}`,
        `    local: ${short(other, width)}`,
      ]),
    `  the real server said:  ${real.code} ${short(real.body, width)}`,
    `  the local server said: ${local.code} ${short(local.body, width)}`,
    ...(at > 0 ? ["  before:"] : []),
    ...compared
      .slice(0, at)
      .map(({ request: earlier, real: then }) => `    ${then.code} ${short(inWords(earlier), 300)}`),
    `  again: make differences SEED=${seed} STORY=${story.seed}`,
  ];
}

function short(value: unknown, most = 600): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
