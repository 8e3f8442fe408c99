import { onlyOf, StandingHorizon } from "../horizon.ts";
import { Breaks } from "../stages/breakable.ts";
import { shownUpTo } from "../stages/shown-up-to.ts";
import type { ViewGiven, ViewMaker } from "../view-kinds.ts";
import type { Wrongs } from "../wrong-view.ts";
import type { Departure, Moments } from "./pair-workload.ts";

export interface Way {
  readonly to: Departure["to"];
  /** How the old view is come by: the operator restarts, or has to list again. */
  readonly by: "crash" | "relist";
  readonly forMs: number;
}

/** Takes the operator back to a moment that it has been through, for a while. */
export class Journey implements ViewMaker, Moments {
  readonly name = "journey";
  readonly #way: Way;
  readonly #marks: bigint[] = [];
  readonly #breaks = new Breaks();
  #given: ViewGiven | undefined;
  #standing: StandingHorizon | undefined;
  #hasDeparted = false;

  constructor(way: Way) {
    this.#way = way;
  }

  make(given: ViewGiven): Wrongs {
    const { timeline, concerns } = given;
    this.#given = given;
    this.#standing = new StandingHorizon(timeline);
    const horizon = onlyOf(this.#standing, concerns, timeline);
    return { horizon, stages: [shownUpTo(horizon), this.#breaks.stage], episodes: [{ place: () => this.#place() }] };
  }

  mark(): void {
    this.#marks.push(this.#given?.timeline.newest ?? 0n);
  }

  depart(): void {
    const { to, by, forMs } = this.#way;
    this.#hasDeparted = true;
    this.#standing?.stand(this.#marks[to === "before" ? 0 : 1] ?? 0n, forMs);
    if (by === "crash") this.#given?.crash();
    else this.#breaks.expireAll();
  }

  #place(): "to come" | "under way" | "over" {
    if (!this.#hasDeparted) return "to come";
    return this.#standing?.isStanding ? "under way" : "over";
  }
}
