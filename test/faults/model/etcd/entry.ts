import type { Alarm } from "@etcd-operator/etcd-client";
import type { Transaction } from "@etcd-operator/etcd-client/transaction.ts";

/** A member as the members know it. */
export interface MemberRecord {
  readonly id: bigint;
  /** Empty until it has started once. */
  readonly name: string;
  readonly peerUrls: readonly string[];
  readonly clientUrls: readonly string[];
  readonly isLearner: boolean;
}

/** What an entry of the log does where it is applied. */
export type Change =
  /** A new leader's first word, and the question for alarms, which is written down too. */
  | { readonly kind: "nothing" }
  | { readonly kind: "write"; readonly transaction: Transaction }
  | { readonly kind: "compact"; readonly revision: bigint }
  | { readonly kind: "add-member"; readonly member: MemberRecord }
  | { readonly kind: "promote-member"; readonly id: bigint }
  | { readonly kind: "remove-member"; readonly id: bigint }
  | { readonly kind: "update-member"; readonly id: bigint; readonly peerUrls: readonly string[] }
  /** A member that has started says what it is called. */
  | { readonly kind: "publish"; readonly id: bigint; readonly name: string; readonly clientUrls: readonly string[] }
  | { readonly kind: "set-version"; readonly minor: number }
  | { readonly kind: "set-alarm"; readonly alarm: Alarm; readonly isRaised: boolean }
  | { readonly kind: "set-downgrade"; readonly toMinor: number | undefined };

/**
 * One entry of the log. The object itself is its identity: what was acknowledged is lost when it is in no log any more.
 */
export interface Entry {
  readonly index: number;
  readonly term: number;
  readonly change: Change;
}

export type MembershipChange = Extract<
  Change,
  { kind: "add-member" | "promote-member" | "remove-member" | "update-member" }
>;
