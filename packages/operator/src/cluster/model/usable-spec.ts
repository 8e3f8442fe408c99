import type { Stored } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { judge, type Problem } from "../../api/schema/judge.ts";
import type { Observation } from "./observation.ts";

/** A cluster whose spec is not valid, as far as what was made of it can be kept. */
export interface Usable {
  readonly cluster: Stored<EtcdCluster>;
  /** What is wrong, such as "spec.pod.etcdEnv". */
  readonly invalidFields: readonly string[];
}

type Block = Record<string, unknown>;

/** "spec" for all of it: nothing of it can be relied on. */
export const WHOLE_SPEC = "spec";

/**
 * The rest of an invalid spec, with every default filled in. Invalid fields get values that change nothing: as many
 * members as exist, the version that they run, no member removed for being late, no volume deleted. Fields that pods
 * are created from stay as they are stored where they can be read: members may have been created from them before a
 * rule existed.
 */
export function usableSpec(stored: Stored<EtcdCluster>): Usable {
  const judged = judge("EtcdCluster", stored);
  if (judged.kind === "valid") return { cluster: stored, invalidFields: [] };
  const wrong = judged.problems.map((problem) => ({ ...problem, path: pathOf(problem.field, stored) }));
  const invalidFields = [...new Set(wrong.map(({ path }) => path.join(".")))];
  const isOfSpec = wrong.every(({ path }) => path[0] === WHOLE_SPEC && path.length > 1);
  const whole = { cluster: stored, invalidFields: [WHOLE_SPEC] };
  if (!isOfSpec) return whole;
  const spec = structuredClone(stored.spec) as unknown as Block;
  for (const { path } of wrong) setAt({ spec }, path, undefined);
  for (const [field, value] of Object.entries(standIns(stored))) {
    if (invalidFields.some((each) => isWithin(each, field))) setAt({ spec }, field.split("."), value);
  }
  const rest = judge("EtcdCluster", { ...stored, spec });
  if (rest.kind !== "valid") return whole;
  const object = structuredClone(rest.object) as unknown as Block;
  for (const { path, ...problem } of wrong) {
    if (staysAsStored(problem, path)) setAt(object, path, valueAt(stored, path));
  }
  return { cluster: { ...stored, spec: object.spec } as unknown as Stored<EtcdCluster>, invalidFields };
}

/** Whether something of a spec is wrong that decides on this. */
export function isInvalid({ problems, invalidFields = [WHOLE_SPEC] }: Observed, field: string): boolean {
  return problems.length > 0 && invalidFields.some((each) => isWithin(each, field));
}

type Observed = Pick<Observation, "problems" | "invalidFields">;

/** Whether a field is another, or lies in it. */
function isWithin(field: string, other: string): boolean {
  return field === other || field.startsWith(`${other}.`) || other.startsWith(`${field}.`);
}

/** Longer than any member is waited for. */
const NEVER_SECONDS = 315_360_000;

function standIns({ status = {} }: Stored<EtcdCluster>): Readonly<Record<string, unknown>> {
  return {
    "spec.size": Math.min(7, Math.max(1, status.size ?? 1)),
    "spec.version": status.currentVersion || undefined,
    "spec.memberReplacement": { afterSeconds: NEVER_SECONDS },
    "spec.persistentVolumeClaimRetentionPolicy": { whenDeleted: "Retain", whenScaled: "Retain" },
  };
}

const OF_PODS = ["spec.pod", "spec.TLS", "spec.etcd", "spec.repository"];
/** These change nothing in a pod that runs, and the API server may refuse a new one for them. */
const OF_METADATA = ["spec.pod.labels", "spec.pod.annotations"];

/** Whether pods are made from a field. */
export function isOfPods(field: string): boolean {
  return OF_PODS.some((each) => isWithin(field, each));
}

function staysAsStored({ isOfWrongType }: Problem, path: readonly string[]): boolean {
  const field = path.join(".");
  return !isOfWrongType && isOfPods(field) && !OF_METADATA.some((each) => isWithin(field, each));
}

/** Down to the last block of fields that is there; of a list all. */
function pathOf(field: string, object: object): string[] {
  const path: string[] = [];
  let at: unknown = object;
  for (const key of (field.split("[")[0] ?? "").split(".")) {
    if (typeof at !== "object" || at === null || Array.isArray(at)) break;
    if (path.length > 1 && !(key in at)) break;
    path.push(key);
    at = (at as Block)[key];
  }
  return path;
}

function valueAt(object: object, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Block | undefined)?.[key], object);
}

function setAt(object: Block, path: readonly string[], value: unknown): void {
  const [last = "", ...above] = [...path].reverse();
  let at = object;
  for (const key of above.reverse()) {
    if (typeof at[key] !== "object" || at[key] === null) at[key] = {};
    at = at[key] as Block;
  }
  if (value === undefined) delete at[last];
  else at[last] = value;
}
