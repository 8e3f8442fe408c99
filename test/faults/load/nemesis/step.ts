/** Whom a trouble hits, by the part that members play at that moment. */
export type Who = "leader" | "follower" | "all";

/** What a user asks of a cluster, or loses of it. */
export type Task =
  | { readonly do: "scale"; readonly to: number }
  /** An edit of the pods, which gives every member another one. */
  | { readonly do: "roll"; readonly cpu: string }
  | { readonly do: "upgrade"; readonly to: string }
  /** A backup, and later the cluster goes back to it. */
  | { readonly do: "restore"; readonly afterMs: number }
  /** A member loses its disk: its volume is emptied, or where it has none its pod goes. The others must be well. */
  | { readonly do: "lose-disk"; readonly who: "leader" | "follower" }
  /** A pod is deleted, as by a drain; its volume stays. Without volumes that is the loss of a disk. */
  | { readonly do: "delete-pod"; readonly who: "leader" | "follower" };

/** What happens to members that keep their disks. */
export type Trouble =
  | { readonly do: "kill"; readonly who: Who }
  | { readonly do: "freeze"; readonly who: Who; readonly forMs: number }
  | { readonly do: "cut-off"; readonly who: Who; readonly forMs: number }
  /** Two of them no longer reach each other; all others reach both. */
  | { readonly do: "part"; readonly forMs: number }
  /** Not a trouble by itself, but watches that are behind lose what they want to go on from. */
  | { readonly do: "compact"; readonly keeps: number };

/** What happens to the programs that run all clusters. */
export type Outage =
  | { readonly do: "kill-operator" }
  | { readonly do: "freeze-operator"; readonly forMs: number }
  | { readonly do: "kill-api-server" };

/** With the rest that comes before it. */
export type Timed<Step> = Step & { readonly restMs: number };

export interface Schedule {
  readonly tasks: readonly Timed<Task>[];
  readonly troubles: readonly Timed<Trouble>[];
  readonly outages: readonly Timed<Outage>[];
}
