import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { Stage } from "../workloads/stage.ts";
import type { Asked } from "../world/in-process-carrier.ts";

/** A voter, by the pod in which it runs. */
export interface VoterUp {
  readonly pod: string;
  readonly isUp: boolean;
}

type Scene = Pick<Stage, "cluster" | "memberPods" | "machine">;

/**
 * Checks everything the operator does to pods, at the moment when it is done: to stop a voter while another
 * one is down makes two down (opensearch-k8s-operator#1471). One that is down itself costs nothing.
 */
export class Disruptions {
  readonly #scene: Scene;
  readonly #found: string[] = [];

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  get found(): readonly string[] {
    return this.#found;
  }

  see(asked: Asked): void {
    const pod = podTakenDown(asked, this.#scene.memberPods);
    const why = pod === undefined ? undefined : oneTooMany(pod, this.#voters());
    if (why) this.#found.push(why);
  }

  /**
   * Of the cluster that is on record: what a restore has set aside, or is not bootstrapped yet, has nothing to lose.
   */
  #voters(): readonly VoterUp[] {
    const { cluster, machine } = this.#scene;
    const { clusterID } = cluster?.status ?? {};
    if (!clusterID) return [];
    const { processes } = machine.etcd.group(BigInt(`0x${clusterID}`));
    const [known] = [...processes].sort((one, other) => other.data.state.index - one.data.state.index);
    return (known?.data.state.voters ?? []).map(({ id, name }) => ({
      pod: name,
      isUp: processes.some((each) => each.memberId === id && each.isPresent && each.isServing),
    }));
  }
}

/** The pod that a request deletes, or whose etcd container it replaces. */
export function podTakenDown({ method, path, body }: Asked, pods: readonly Pod[]): string | undefined {
  const [, name] = /\/pods\/([^/?]+)(?:\?|$)/.exec(path) ?? [];
  const pod = pods.find(({ metadata }) => metadata?.name === name);
  if (!pod || path.includes("dryRun=")) return undefined;
  if (method === "DELETE") return name;
  if (method !== "PATCH") return undefined;
  const { spec } = JSON.parse(body ?? "{}") as Partial<Pod>;
  const isOther = spec?.containers?.some(({ name: container, image }) => image && image !== imageOf(pod, container));
  return isOther ? name : undefined;
}

function imageOf({ spec }: Pod, container: string): string | undefined {
  return spec?.containers.find(({ name }) => name === container)?.image;
}

/** Why a voter should have been left alone. */
export function oneTooMany(pod: string, voters: readonly VoterUp[]): string | undefined {
  if (!voters.some((voter) => voter.pod === pod && voter.isUp)) return undefined;
  const down = voters.filter((voter) => voter.pod !== pod && !voter.isUp).map((voter) => voter.pod || "a new member");
  return down.length > 0 ? `${pod} was taken down while ${down.join(", ")} was down` : undefined;
}
