import { EtcdError } from "../../etcd/etcd-error.ts";
import type { ActionOutcome, Step } from "../action.ts";
import { DONE, postponed } from "./postponed.ts";
import type { Work } from "./work.ts";

type SetDowngrade = Extract<Step, { kind: "set-downgrade" }>;

/** Tells etcd that its members go back one minor, after it has said that they can; or that they do not. */
export async function setDowngrade(work: Work, { step, target }: SetDowngrade): Promise<ActionOutcome> {
  const change = await work.live.clusterHasChanged();
  if (change) return change;
  const list = await work.etcd.members();
  if (list.kind === "postponed") return list;
  try {
    if (step === "enable") await list.via.downgrade("validate", target);
    await work.etcd.change(`downgrade: ${step}`, list.via, (via, options) => via.downgrade(step, target, options));
    return DONE;
  } catch (error) {
    if (!(error instanceof EtcdError)) throw error;
    // The cluster's own version lags a little behind its members'; and what is not enabled needs no cancelling.
    if (error.code === "refused" || error.code === "invalid" || error.code === "unknown")
      return postponed(error.message, 2_000);
    throw error;
  }
}
