import type { KubeObject, Stored } from "../../kubernetes/kube-object.ts";
import { hasCode } from "../../kubernetes/kubernetes-error.ts";
import type { Resource } from "../../kubernetes/resource.ts";
import { resources } from "../../kubernetes/resources.ts";
import type { ActionOutcome, ToWrite, WriteObjects } from "../action.ts";
import { ownerReference } from "../objects/owner.ts";
import { allOf, DONE, postponed, unlessChanged } from "./postponed.ts";
import type { Work } from "./work.ts";

type Fields = Readonly<Record<string, unknown>>;
type Written = KubeObject & { spec?: object };

/**
 * Makes the Services and the disruption budget, or puts right what somebody changed on them. Not for a cluster that is gone: what is
 * made for it goes at once, and would be made again for as long as a cache still shows it.
 */
export async function writeObjects(work: Work, { services, disruptionBudget }: WriteObjects): Promise<ActionOutcome> {
  const change = await work.live.clusterHasChanged();
  if (change) return change;
  return allOf([
    ...services.map((service) => write(work, resources.services, service)),
    ...(disruptionBudget ? [write(work, resources.podDisruptionBudgets, disruptionBudget)] : []),
  ]);
}

async function write<T extends Written>(
  work: Work,
  resource: Resource<T>,
  { wanted, present, takesOver }: ToWrite<T>,
): Promise<ActionOutcome> {
  if (!present) return createObject(work, resource, wanted);
  const owners = [...(present.metadata.ownerReferences ?? []), ownerReference(work.seen.cluster)];
  const metadata = { labels: wanted.metadata?.labels ?? {}, ...(takesOver && { ownerReferences: owners }) };
  const changes = { metadata, spec: specChanges(wanted, present) };
  const what = `${resource.kind} ${present.metadata.name}`;
  return unlessChanged(what, () => work.writer.patch(resource, present.metadata, changes));
}

/** Whoever made an object of this name keeps it: the next pass finds out whether that was us. */
export async function createObject<T extends Written>(
  work: Work,
  resource: Resource<T>,
  wanted: T,
): Promise<ActionOutcome> {
  try {
    await work.writer.create(resource, wanted);
    return DONE;
  } catch (error) {
    if (!hasCode(error, "already-exists")) throw error;
    return postponed(`${resource.kind} ${wanted.metadata?.name} is there already, and may be somebody else's`, 1_000);
  }
}

/** What we say, and nothing of what others added; but of a selector nothing may be left over, and of a budget only one limit. */
function specChanges<T extends Written>(wanted: T, present: Stored<T>): Fields {
  const [spec, old] = [{ ...wanted.spec } as Fields, { ...present.spec } as Fields];
  return {
    ...spec,
    ...(isFields(spec.selector) && { selector: replaced(spec.selector, old.selector) }),
    ...("minAvailable" in spec && "maxUnavailable" in old && { maxUnavailable: null }),
  };
}

/** In a merge patch a key stays unless it is null. */
function replaced(wanted: Fields, old: unknown): Fields {
  if (!isFields(old)) return wanted;
  const leftOver = Object.keys(old).filter((key) => !(key in wanted));
  const kept = Object.entries(wanted).map(([key, value]) => [key, isFields(value) ? replaced(value, old[key]) : value]);
  return { ...Object.fromEntries(leftOver.map((key) => [key, null])), ...Object.fromEntries(kept) };
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
