import type { StoredSnapshot } from "../api/backup/stored-snapshot.ts";
import type { EtcdRestore } from "../api/etcd-restore.ts";
import type { RestoreRequest } from "../api/restore-request.ts";
import type { RunProgress, SeedSeen } from "./observation.ts";
import type { GiveUpReason, RestoreReason, UnverifiedReason } from "./reasons.ts";

export type Phase = NonNullable<NonNullable<EtcdRestore["status"]>["phase"]>;

/** Why: one word for programs, one sentence for people. Both reach the status, the log and the Event. */
interface Why {
  readonly reason: RestoreReason;
  readonly message: string;
}

/** The action of one reconcile. */
export type Action = Why &
  (
    | { readonly kind: "none" }
    | Hold
    /** The plan cannot be carried out until a person fixes the cause. */
    | { readonly kind: "obstructed" }
    /** Something has to be put in order before this restore may be deleted. */
    | { readonly kind: "add-finalizer" }
    /** Nothing has, any more. */
    | { readonly kind: "remove-finalizer" }
    /** A new attempt, of the spec as it is now. */
    | { readonly kind: "begin" }
    | { readonly kind: "verify" }
    | { readonly kind: "record-verified"; readonly snapshot: StoredSnapshot }
    /** The backup must not be restored; a survivor may be. */
    | { readonly kind: "record-refused"; readonly reason: UnverifiedReason }
    | { readonly kind: "save"; readonly isRepeated: boolean }
    | RecordSaved
    /** Makes the cluster from the template; or makes it over, if it is there from an attempt that came to nothing. */
    | { readonly kind: "create-cluster"; readonly request: RestoreRequest }
    | { readonly kind: "request"; readonly request: RestoreRequest }
    | { readonly kind: "push"; readonly seed: SeedSeen }
    /** It cannot succeed: recorded before it is cancelled. */
    | { readonly kind: "give-up"; readonly reason: GiveUpReason }
    | { readonly kind: "cancel"; readonly request: RestoreRequest }
    /** Takes the request off the cluster. */
    | { readonly kind: "withdraw" }
    /**
     * The same where the cluster was created by this restore, and has never held data: it must not be bootstrapped
     * as an empty one.
     */
    | { readonly kind: "park-cluster" }
    | Failure
    | { readonly kind: "succeed" }
  );

export interface Failure extends Why {
  readonly kind: "fail";
  /** The condition that shows it, beside that of the restore. */
  readonly shows?: "Verified" | "Saved";
}

export interface Hold extends Why {
  readonly kind: "hold";
  /** What is being done meanwhile, and by whom. */
  readonly phase: Phase;
  readonly progress?: RunProgress;
  readonly recheckAfterMs?: number;
}

export interface RecordSaved extends Why {
  readonly kind: "record-saved";
  /** Undefined when no member responded. */
  readonly safetySnapshot: StoredSnapshot | undefined;
  /** What is to be restored, now that both are known. */
  readonly snapshot: StoredSnapshot;
}
