import type { Action } from "../../../src/cluster/action.ts";
import type { Observation } from "../../../src/cluster/observation.ts";
import { keysOf, namesIn, type Stalled } from "../../../src/cluster/stalls.ts";

/** What this process remembers of an action that came to nothing. */
export function stalled(action: Action, more: Partial<Stalled> = {}): Stalled {
  const { kind, message } = action;
  const { content: key } = keysOf(action);
  return {
    key,
    kind,
    names: namesIn(action),
    message,
    came: "without-effect",
    why: "no effect",
    leftMs: 1_000,
    ...more,
  };
}

/** The picture with one more such action. */
export function afterStall(seen: Observation, action: Action, more: Partial<Stalled> = {}): Observation {
  return { ...seen, stalled: [...(seen.stalled ?? []), stalled(action, more)] };
}
