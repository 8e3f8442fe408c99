import { SCOPE_ANNOTATION } from "@etcd-operator/operator/api/group.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { CLUSTER } from "../workloads/stage.ts";
import type { Workload } from "../workloads/workload.ts";
import { NAMESPACE, type View } from "../world/world.ts";

/** Long enough for whatever an operator would do by itself. */
const MEANWHILE_MS = 120_000;

/**
 * A cluster that is given to an operator of another scope while the watch of the one that had it stalls; and that comes
 * back.
 */
export class LostScope {
  /** What was written to pods and members meanwhile. */
  readonly written: string[] = [];
  #isLost = false;
  #resume: () => void = () => undefined;
  #resumed: Promise<void> = Promise.resolve();

  /** How often the watch kept something back. */
  heldBack = 0;

  readonly view: View = (ask) => async (asked) => {
    const answer = await ask(asked);
    const isWatch = asked.path.includes("/etcdclusters") && asked.path.includes("watch=");
    return isWatch ? { ...answer, body: this.#stalling(answer.body) } : answer;
  };

  /** Gets every write before it is sent. */
  readonly onWrite = (what: string): void => {
    // Notes on pods and claims are as true for every operator; what stops a member is a removal, a deletion or
    // a creation.
    const isHarmless = /^PUT etcdclusters\/status|events|^PATCH /.test(what);
    if (this.#isLost && !isHarmless) this.written.push(what);
  };

  around(workload: Workload): Workload {
    return {
      ...workload,
      act: async (stage) => {
        const ref = { namespace: NAMESPACE, name: CLUSTER };
        const annotate = (scope: string | null) =>
          stage.user.patch(ownResources.etcdClusters, ref, {
            merge: { metadata: { annotations: { [SCOPE_ANNOTATION]: scope } } },
          });
        this.#lose();
        await annotate("clusterwide");
        await workload.act(stage);
        await stage.time.pass(MEANWHILE_MS);
        await annotate(null);
        this.#giveBack();
      },
    };
  }

  #lose(): void {
    this.#isLost = true;
    this.#resumed = new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  #giveBack(): void {
    this.#isLost = false;
    this.#resume();
  }

  async *#stalling(body: AsyncIterable<Uint8Array>) {
    for await (const chunk of body) {
      if (this.#isLost) this.heldBack += 1;
      await this.#resumed;
      yield chunk;
    }
  }
}
