import type { Deployment, ReplicaSet } from "kubernetes-types/apps/v1.d.ts";
import type { EventRecorder } from "../../../kubernetes/event-recorder.ts";
import type { Stored } from "../../../kubernetes/kube-object.ts";
import { resources } from "../../../kubernetes/resources.ts";
import { hasLabels } from "../../label-selector.ts";
import type { ControllerContext } from "../controller-context.ts";
import { SeenWrites } from "../workloads/seen-writes.ts";
import { sizeAnnotations } from "./revisions.ts";
import { wantedReplicas } from "./rollout.ts";
import type { Scaling } from "./scalings.ts";

/** What a Deployment's passes write. */
export class DeploymentWrites {
  readonly deployments: SeenWrites<Deployment>;
  readonly sets: SeenWrites<ReplicaSet>;
  readonly events: EventRecorder;

  constructor(context: ControllerContext, events: EventRecorder) {
    this.deployments = new SeenWrites(context, resources.deployments);
    this.sets = new SeenWrites(context, resources.replicaSets);
    this.events = events;
  }

  async scale(deployment: Stored<Deployment>, scalings: readonly Scaling[]): Promise<void> {
    for (const { set, replicas } of scalings) {
      const before = wantedReplicas(set);
      const annotations = { ...set.metadata.annotations, ...sizeAnnotations(deployment) };
      const isSame = before === replicas && hasLabels(set.metadata.annotations, sizeAnnotations(deployment));
      if (isSame || !set.spec) continue;
      await this.sets.update({ ...set, metadata: { ...set.metadata, annotations }, spec: { ...set.spec, replicas } });
      if (before === replicas) continue;
      this.tellScaling(deployment, replicas > before ? "up" : "down", set.metadata.name, before, replicas);
    }
  }

  tellScaling(about: Stored<Deployment>, direction: "up" | "down", set: string, from: number, to: number): void {
    const message = `Scaled ${direction} replica set ${set} from ${from} to ${to}`;
    this.events.record(about, { type: "Normal", reason: "ScalingReplicaSet", message });
  }
}
