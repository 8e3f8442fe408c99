import type { CustomResourceDefinition } from "../../src/local/apiserver/crd/custom-resource-definition.ts";
import { validateCrd } from "../../src/local/apiserver/crd/validate-crd.ts";
import { BUILTIN_KINDS } from "./builtin-kinds.ts";
import { type CustomKind, customKind } from "./custom-kinds.ts";
import { definitionRequests } from "./definitions.ts";
import { type Draw, drawOf } from "./draw.ts";
import type { Story } from "./request.ts";
import { requestsAbout } from "./stories.ts";

/** A story, and the custom kind that it needs, if any. */
export interface PlannedStory extends Story {
  readonly custom: CustomKind | undefined;
  /** Its objects lie in no namespace, so that lists of them show those of other stories. */
  readonly isClusterWide: boolean;
}

const LONGEST = 14;
// What users and operators have most to do with.
const FREQUENT = [...["pods", "pods", "pods"], "configmaps", "services", "deployments"].flatMap((plural) =>
  BUILTIN_KINDS.filter((kind) => kind.plural === plural),
);

/** Story number `index` of a seed: the same for ever, whatever else runs. `run` is part of the groups of custom kinds. */
export function plannedStory(seed: number, index: number, run: string): PlannedStory {
  const draw = drawOf(seed * 100_003 + index * 7919);
  if (draw.chance(0.1)) {
    return { seed: index, about: "CRDs", requests: definitionRequests(draw), custom: undefined, isClusterWide: true };
  }
  const custom = draw.chance(0.5) ? customKindFor(seed, draw, run) : undefined;
  const kind = custom ?? draw.of([...BUILTIN_KINDS, ...FREQUENT]);
  const requests = requestsAbout({ draw, kind }, draw.between(6, LONGEST));
  return { seed: index, about: `${kind.plural}.${kind.group}`, requests, custom, isClusterWide: !kind.isNamespaced };
}

/** Stories share kinds: a new one costs a real server two seconds before it takes writes. */
const KINDS = 16;

function customKindFor(seed: number, draw: Draw, run: string): CustomKind {
  const index = draw.int(KINDS);
  for (let attempt = 0; ; attempt += 1) {
    const kind = customKind(drawOf(seed * 31 + index * 104_729 + attempt * 7), run, index);
    // One that is refused would leave the story nothing to tell; there are stories about CRDs for that.
    if (attempt === 50 || validateCrd(kind.crd as unknown as CustomResourceDefinition).length === 0) return kind;
  }
}

/** As many stories as it takes for `count` requests. */
export function plan(seed: number, count: number, run: string): PlannedStory[] {
  const stories: PlannedStory[] = [];
  for (let left = count; left > 0; ) {
    const story = plannedStory(seed, stories.length, run);
    const requests = story.requests.slice(0, left);
    stories.push({ ...story, requests });
    left -= requests.length;
  }
  return stories;
}
