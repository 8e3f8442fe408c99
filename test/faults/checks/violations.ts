import { loopsIn } from "@etcd-operator/testing/loops/loops.ts";
import type { ChangeAsked, EtcdFacts } from "../model/etcd/facts.ts";
import type { ModelMachine } from "../world/model-machine.ts";
import type { World } from "../world/world.ts";
import { canariesSeen, type Place } from "./canaries.ts";
import { changedIds } from "./cluster-ids.ts";
import { leaks } from "./leaks.ts";
import { orphans } from "./orphans.ts";
import { plainText } from "./plain-text.ts";
import { sideBySide } from "./side-by-side.ts";
import { usedVolumes } from "./used-volumes.ts";

export interface Told {
  /** What the operators' metrics said in the end. */
  readonly metrics: readonly string[];
}

/** What must never happen, whatever went wrong, and did; all but what has to be seen while it happens. */
export function violations(world: World<ModelMachine>, { metrics }: Told): readonly string[] {
  const { objects, machine, backups, log } = world;
  const { facts } = machine.etcd;
  const told: readonly Place[] = [
    ...log.map((line) => ({ name: "the log", text: line })),
    ...metrics.map((page) => ({ name: "the metrics", text: page })),
    ...[...backups.store.objects].map(([key, text]) => ({ name: `the store, ${key}`, text })),
  ];
  return [
    ...forbiddenChanges(facts),
    ...facts.clusters.flatMap(({ clusterId }) =>
      machine.etcd
        .lostWrites(clusterId)
        .map(({ revision }) => `the acknowledged write of revision ${revision} is lost`),
    ),
    ...changedIds(objects.events, facts),
    ...sideBySide(facts),
    ...usedVolumes(objects.events),
    ...plainText(objects.events),
    ...canariesSeen(objects.events, told),
    ...loopsIn(world.written),
    ...world.ends.filter((why) => why !== undefined).map((why) => `an operator ended of itself: ${why}`),
  ];
}

/** What is left behind in the end; only a run that has come to its end can be asked. */
export function leftBehind({ objects, machine }: World<ModelMachine>): readonly string[] {
  return [...leaks(objects, machine.etcd), ...orphans(objects)];
}

/**
 * Membership changes that must not be requested, whether or not etcd refuses them, and what the model of etcd itself
 * objects to.
 */
export function forbiddenChanges(facts: EtcdFacts): readonly string[] {
  const forbidden = [
    ...facts.violations,
    ...facts.overlappingChanges.map(({ kind, via }) => `${kind} by way of ${via} while another change was under way`),
    ...facts.addsBesideUnstarted
      .filter(isBesideAnother)
      .map(({ peerUrls, unstarted }) => `${peerUrls} was added while ${unstarted} had not started`),
    ...facts.changes
      .filter(({ kind, isLearner, knowsLearners }) => kind === "add-member" && knowsLearners && !isLearner)
      .map(({ peerUrls }) => `${peerUrls} was added as a voter, though it could have been a learner`),
    ...repeated(facts.clusters.map(({ token }) => token)).map((token) => `two clusters have the token ${token}`),
    ...facts.changes
      .filter(takesOneTooMany)
      .map(({ id, absent }) => `member ${hex(id)} was removed while ${absent.map(hex).join(", ")} was down`),
  ];
  // A refused request is repeated again and again.
  return [...new Set(forbidden)];
}

/** The same request that arrives twice is no second addition. */
function isBesideAnother({ peerUrls, unstarted }: ChangeAsked): boolean {
  return unstarted.some((url) => !peerUrls.includes(url));
}

function repeated(texts: readonly string[]): readonly string[] {
  return texts.filter((text, at) => texts.indexOf(text) !== at);
}

/** A healthy voter, while another one is not. */
function takesOneTooMany({ kind, id, isLearner, absent }: ChangeAsked): boolean {
  return kind === "remove-member" && id !== undefined && !isLearner && absent.length > 0 && !absent.includes(id);
}

function hex(id: bigint | undefined): string {
  return (id ?? 0n).toString(16);
}
