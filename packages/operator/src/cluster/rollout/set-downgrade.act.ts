import type { EtcdClient } from "@etcd-operator/etcd-client";
import { compareVersions, EtcdError, parseVersion } from "@etcd-operator/etcd-client";
import { barred, DONE, postponed } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { ActionOutcome, Step } from "../model/action.ts";

type SetDowngrade = Extract<Step, { kind: "set-downgrade" }>;

/** Enables a downgrade of one minor in etcd, after etcd has confirmed that it is possible; or cancels it. */
export async function setDowngrade(work: Work, { step, target }: SetDowngrade): Promise<ActionOutcome> {
  const change = await work.live.clusterHasChanged();
  if (change) return change;
  const via = await newestMember(work);
  if (!via) return postponed("no member that could downgrade its data responds", 1_000);
  try {
    await work.etcd.change(`downgrade: ${step}`, via, async (member, options) => {
      if (step === "enable") await member.downgrade("validate", target, options);
      await member.downgrade(step, target, options);
    });
    return DONE;
  } catch (error) {
    if (!(error instanceof EtcdError)) throw error;
    if (error.code === "auth") return barred(AUTH_IN_THE_WAY);
    // The cluster's own version lags a little behind its members'; and what is not enabled needs no cancelling.
    if (error.code === "refused" || error.code === "invalid") return postponed(error.message, 2_000);
    throw error;
  }
}

const AUTH_IN_THE_WAY =
  "etcd with authentication enabled accepts a downgrade from its users only: disable authentication for it, then enable it again";

/** One that has been downgraded obeys, but never reports it: seen on 3.5 among 3.6. */
async function newestMember({ seen, etcd }: Work): Promise<EtcdClient | undefined> {
  const versions = seen.pods.flatMap(({ name, answer: { health, status } }) => {
    const version = health === "healthy" && !status?.isLearner && parseVersion(status?.version ?? "");
    return version ? [{ name, version }] : [];
  });
  const newest = versions.sort((a, b) => compareVersions(b.version, a.version))[0];
  return newest && etcd.clientOf(newest.name);
}
