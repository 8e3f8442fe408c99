import type { Action } from "@etcd-operator/operator/cluster/model/action.ts";
import type { Observation } from "@etcd-operator/operator/cluster/model/observation.ts";
import { keysOf, namesIn, type Stalled } from "@etcd-operator/operator/cluster/model/stalls.ts";

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
