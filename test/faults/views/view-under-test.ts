import { type Random, randomOf } from "../../model/random.ts";
import type { Life } from "../transport/life.ts";
import type { Workload } from "../workloads/workload.ts";
import type { Ask } from "../world/in-process-carrier.ts";
import type { MemoryEtcd } from "../world/memory-etcd.ts";
import type { View } from "../world/world.ts";
import { concernsOf, OBJECTS, type ObjectsName } from "./objects.ts";
import { Timeline } from "./timeline.ts";
import type { ViewMaker } from "./view-kinds.ts";
import { Arming, type Wrongs, wrongView } from "./wrong-view.ts";

export interface ViewUnderTestGiven {
  readonly kind: ViewMaker;
  readonly objects: ObjectsName;
  readonly seed: number;
  /** How many events of those objects there are where nothing is wrong. */
  readonly events: number;
}

/** One view of one world, from the moment on at which a workload begins. */
export class ViewUnderTest {
  readonly #given: ViewUnderTestGiven;
  readonly #random: Random;
  readonly #arming = new Arming();
  #wrongs: Wrongs | undefined;
  #wrong: ((ask: Ask) => Ask) | undefined;
  #timeline: Timeline | undefined;
  #life: Life | undefined;
  /** What there was when the workload was done for the first time. */
  #doneAt: bigint | undefined;
  #isDone = false;
  #unmet: readonly string[] = [];

  constructor(given: ViewUnderTestGiven) {
    this.#given = given;
    this.#random = randomOf(given.seed);
  }

  /** The same for every operator of the world: what one has not been shown, the next one is not shown either. */
  readonly view: View = (ask, life, etcd) => {
    this.#life = life;
    this.#wrong ??= this.#make(etcd);
    return this.#wrong(ask);
  };

  /** A workload that is seen so, and is done only when its operator could see what became of it. */
  around(workload: Workload): Workload {
    return {
      ...workload,
      act: async (stage) => {
        this.#arming.isArmed = true;
        await workload.act(stage);
      },
      missing: (stage) => {
        const missing = workload.missing(stage);
        const lacking = missing.length > 0 ? missing : this.#unseen();
        if (!this.#isDone) this.#unmet = this.#unmetSoFar();
        this.#isDone ||= lacking.length === 0;
        return lacking;
      },
    };
  }

  /**
   * What was to happen to the view and did not, as long as there was something to do: what comes after that shows
   * nothing.
   */
  get unmet(): readonly string[] {
    return this.#unmet;
  }

  #unmetSoFar(): readonly string[] {
    const { episodes = [], happenings = [] } = this.#wrongs ?? {};
    const isToCome = episodes.some((episode) => episode.place() === "to come");
    const missed = happenings.filter(({ times }) => times === 0);
    return [...(isToCome ? ["the view was never wrong"] : []), ...missed.map(({ what }) => `never happened: ${what}`)];
  }

  #make(etcd: MemoryEtcd): (ask: Ask) => Ask {
    const { kind, objects, events } = this.#given;
    const end = new AbortController();
    this.#timeline = new Timeline(etcd, end.signal);
    const concerns = concernsOf(objects);
    const crash = () => this.#life?.crash();
    this.#wrongs = kind.make({ timeline: this.#timeline, random: this.#random, concerns, events, crash });
    return wrongView(this.#wrongs, this.#arming);
  }

  #unseen(): readonly string[] {
    const { horizon, isHolding, episodes = [] } = this.#wrongs ?? {};
    this.#doneAt ??= this.#timeline?.newest ?? 0n;
    const doneAt = this.#doneAt;
    const isBehind = horizon && OBJECTS.everything.some((plural) => horizon.of(plural) < doneAt);
    const isPassing = episodes.some((episode) => episode.place() === "under way");
    return isBehind || isHolding?.(doneAt) || isPassing ? ["the view is still wrong"] : [];
  }
}
