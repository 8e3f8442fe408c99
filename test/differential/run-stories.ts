import type { ConformanceTarget } from "../conformance/target.ts";
import { until } from "../support/kube/until.ts";
import { type Compared, compared } from "./compare.ts";
import type { CustomKind } from "./custom-kinds.ts";
import type { PlannedStory } from "./plan.ts";
import type { Request } from "./request.ts";
import { NO_ANSWER, type Said, Session } from "./session.ts";

export interface Servers {
  readonly real: Pick<ConformanceTarget, "rest">;
  readonly local: Pick<ConformanceTarget, "rest">;
}

export interface Told {
  readonly story: PlannedStory;
  readonly compared: readonly Compared[];
}

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
// Watches take a second each: meanwhile others go on.
const AT_ONCE = 6;

/** Tells every story to both servers; those whose CRD one of them refuses end with the CRD. */
export async function runStories(servers: Servers, stories: readonly PlannedStory[], run: string): Promise<Told[]> {
  const kinds = await defineKinds(servers, stories, run);
  const told: Told[] = [];
  const waiting = inTurns(stories);
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      for (const [index, story] of next) {
        const definition = story.custom && kinds.get(story.custom.group);
        told[index] =
          definition && !definition.isServed ? { story, compared: [] } : await tell(servers, story, `${run}-${index}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return [...[...kinds.values()].map(({ told: each }) => each), ...told];
}

/** Stories that would see each other's objects come one after the other: else it were chance what each server shows of them. */
function inTurns(stories: readonly PlannedStory[]): (readonly (readonly [number, PlannedStory])[])[] {
  const turns = new Map<string, [number, PlannedStory][]>();
  for (const [index, story] of stories.entries()) {
    const key = story.isClusterWide ? story.about : `story ${index}`;
    turns.set(key, [...(turns.get(key) ?? []), [index, story]]);
  }
  return [...turns.values()];
}

/** Tells one story in a namespace of its own. */
export async function tell(servers: Servers, story: PlannedStory, name: string): Promise<Told> {
  const namespace = `d${name}`;
  await Promise.all([makeNamespace(servers.real, namespace), makeNamespace(servers.local, namespace)]);
  const real = new Session(servers.real, namespace);
  const local = new Session(servers.local, namespace);
  const results: Compared[] = [];
  for (const request of story.requests) {
    const [one, other] = await Promise.all([real.send(request), local.send(request)]);
    const result = compared(request, { real: one, local: other, namespaces: { real: namespace, local: namespace } });
    results.push(result);
    // From here on the two have different things in store.
    if (isTaken(one) !== isTaken(other)) break;
  }
  return { story, compared: results };
}

function isTaken({ code }: Said): boolean {
  return code !== NO_ANSWER && code < 300;
}

async function makeNamespace({ rest }: Servers["real"], name: string): Promise<void> {
  const made = await rest("POST", "/api/v1/namespaces", { metadata: { name } });
  if (made.code !== 201) throw new Error(`could not make namespace ${name}: ${made.text}`);
  // No controller does it here, and admission lets no pod in without it.
  await rest("POST", `/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: "default" } });
}

interface Defined {
  readonly isServed: boolean;
  readonly told: Told;
}

/** Creates the CRDs of all stories together: a real server delays what is first written to each. */
async function defineKinds(
  servers: Servers,
  stories: readonly PlannedStory[],
  run: string,
): Promise<Map<string, Defined>> {
  const kinds = new Map<string, { kind: CustomKind; story: PlannedStory }>();
  for (const story of stories) if (story.custom) kinds.set(story.custom.group, { kind: story.custom, story });
  const defined = new Map<string, Defined>();
  for (const [group, { kind, story }] of kinds) defined.set(group, await define(servers, kind, story, run));
  const served = [...kinds.values()].filter(({ kind }) => defined.get(kind.group)?.isServed);
  await Promise.all(served.flatMap(({ kind }) => [isListed(servers.real, kind), isListed(servers.local, kind)]));
  return defined;
}

async function define(servers: Servers, kind: CustomKind, story: PlannedStory, run: string): Promise<Defined> {
  const request: Request = { method: "POST", path: CRDS, body: { kind: "json", value: kind.crd } };
  const [real, local] = await Promise.all([
    new Session(servers.real, run).send(request),
    new Session(servers.local, run).send(request),
  ]);
  const result = compared(request, { real, local, namespaces: { real: run, local: run } });
  const told = { story: { ...story, about: `the CRD of ${kind.group}` }, compared: [result] };
  return { isServed: real.code === 201 && local.code === 201, told };
}

async function isListed({ rest }: Servers["real"], kind: CustomKind): Promise<void> {
  const path = `/apis/${kind.group}/${kind.version}/${kind.plural}`;
  await until(async () => (await rest("GET", path)).code === 200, { what: `${path} to be served`, everyMs: 50 });
}
