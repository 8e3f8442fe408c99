import type { KindName } from "@etcd-operator/operator/api/kinds.ts";
import { type Random, randomOf } from "../../model/random.ts";
import { entryOf, valuesOf } from "./entries/entry.ts";
import type { FieldValue } from "./field-value.ts";
import type { Play } from "./play.ts";
import { type Property, propertiesOf } from "./property.ts";
import { backupScene } from "./scenes/backup-scene.ts";
import { clusterScene } from "./scenes/cluster-scene.ts";
import { restoreScene } from "./scenes/restore-scene.ts";
import type { Scene } from "./scenes/scene.ts";
import { templateScene } from "./scenes/template-scene.ts";
import { overlaps, stepsInTrouble, stepsOnRunning, stepsUntilRestored } from "./step.ts";

export interface NamedPlay extends Play {
  /** Such as "EtcdCluster.pod.labels/in-trouble". */
  readonly name: string;
  readonly workload: string;
}

/**
 * Of the properties of a cluster that a restore makes, one of so many: EtcdCluster has them all, and judging a template
 * needs no play.
 */
const EVERY_OF_TEMPLATE = 5;

/** All plays of a seed; which trouble an object is in is drawn from it. */
export function playsOf(seed: number): readonly NamedPlay[] {
  const random = randomOf(seed);
  const kinds: readonly KindName[] = ["EtcdCluster", "EtcdBackup", "EtcdRestore"];
  return kinds.flatMap((kind) => playedOf(kind, seed).flatMap((property) => playsOfProperty(property, random)));
}

function playedOf(kind: KindName, seed: number): readonly Property[] {
  const all = propertiesOf(kind);
  const ofTemplate = all.filter((property) => sceneOf(property) === templateScene);
  return all.filter((property) => {
    const at = ofTemplate.indexOf(property);
    return at < 0 || (at + seed) % EVERY_OF_TEMPLATE === 0;
  });
}

/** Where a property is walked through its values. */
export function sceneOf({ kind, path }: Pick<Property, "kind" | "path">): Scene {
  if (kind === "EtcdCluster") return clusterScene;
  if (kind === "EtcdBackup") return backupScene;
  return path.startsWith("clusterTemplate.spec.") ? templateScene : restoreScene;
}

function playsOfProperty(property: Property, random: Random): readonly NamedPlay[] {
  const { kind, path } = property;
  const scene = sceneOf(property);
  const entry = entryOf(scene.entries, property);
  const values = valuesOf(property, entry);
  const touched = [path, ...Object.keys(entry.along ?? {})];
  const trouble = random.pick(scene.troubles.filter((each) => !touched.some((one) => overlaps(each.path, one))));
  const isOnce = scene === restoreScene;
  const running = { name: `${kind}.${path}/running`, workload: kind, scene, property, isInTrouble: false };
  const broken = { name: `${kind}.${path}/in-trouble`, workload: `${kind} in trouble`, scene, property };
  const steps = stepsOnRunning(isOnce ? values.map(afterwards) : values);
  if (!trouble || !isLeaf(property)) return [{ ...running, steps }];
  const inTrouble = isOnce ? stepsUntilRestored(values) : stepsInTrouble(values, trouble);
  return [
    { ...running, steps },
    { ...broken, steps: inTrouble, isInTrouble: true, ...(isOnce && { trouble }) },
  ];
}

/** What a block is in trouble with, something in it is, too. */
function isLeaf({ schema: { properties, items, additionalProperties } }: Property): boolean {
  return properties === undefined && items === undefined && additionalProperties === undefined;
}

/** A restore that has succeeded is over, whatever is made of its spec. */
function afterwards(value: FieldValue): FieldValue {
  return value.fate === "reported" ? { ...value, fate: "works" } : value;
}
