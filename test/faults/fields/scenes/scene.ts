import type { KubeObject, Resource, Stored } from "@etcd-operator/kubernetes-client";
import type { Stage } from "../../workloads/stage.ts";
import type { Entries } from "../entries/entry.ts";
import type { Trouble } from "../step.ts";

/** Where the properties of a kind are walked through. */
export interface Scene {
  readonly resource: Resource<KubeObject>;
  /** Of the object. */
  readonly name: string;
  /** What every one has to begin with. */
  readonly spec: object;
  readonly specInTrouble: object;
  readonly entries: Entries;
  readonly troubles: readonly Trouble[];
  /** Brings about the object with this spec, and what it needs. */
  prepare(stage: Stage, spec: object): Promise<void>;
  /** What is not yet as the spec says; nothing where it has come to what it says. */
  unsettled(stage: Stage): readonly string[];
  /** What the object reports as wrong with it. */
  told(stage: Stage): readonly string[];
  /** What has to be the same again after going back. */
  picture(stage: Stage): readonly string[];
  /** What must not be, at any moment. */
  harm(stage: Stage): readonly string[];
}

export function objectOf({ resource, name }: Scene, { objects }: Stage): Stored<KubeObject & { spec?: object }> {
  const found = objects.of(resource).find(({ metadata }) => metadata.name === name);
  if (!found) throw new Error(`${resource.plural} '${name}' is gone`);
  return found;
}
