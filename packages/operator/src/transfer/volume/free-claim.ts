import type { Stored } from "@etcd-operator/kubernetes-client";
import { Backoff, linkedAbort, pause } from "@etcd-operator/kubernetes-client";
import { ObjectStoreError } from "@etcd-operator/object-store";
import type { PersistentVolumeClaim } from "kubernetes-types/core/v1.d.ts";
import type { BackupStoreDeps } from "../store/open-backup-store.ts";
import { type ClaimUser, isForOnePod, isShared, isWorker, usersOf } from "./claim-users.ts";

type Deps = Pick<BackupStoreDeps, "client" | "clock" | "random" | "claimTurns">;

/** A claim that one worker has exclusively until `leave` is called. */
export interface FreeClaim {
  /** Where the volume is in use already: only there it can be mounted. */
  readonly nodeName: string | undefined;
  leave(): void;
}

/** Reports what is waited for. */
export type Waiting = <Result>(what: string, wait: () => Promise<Result>) => Promise<Result>;

/**
 * Every use of a claim has a time limit, so its turn comes; when it does not in this time, that is reported, and it
 * is retried later.
 */
const LONGEST_WAIT_MS = 3_600_000;
const FIRST_PAUSE_MS = 500;
const LAST_PAUSE_MS = 10_000;

/**
 * Waits until no other worker uses a claim. Workers on two nodes would keep each other from mounting it for ever; and
 * where one process ends and the next begins, or with two operators, the other worker is another process's.
 */
export async function freeClaim(
  deps: Deps,
  claim: Stored<PersistentVolumeClaim>,
  waiting: Waiting,
  signal: AbortSignal,
): Promise<FreeClaim> {
  if (isShared(claim)) return { nodeName: undefined, leave: () => undefined };
  const { namespace, name } = claim.metadata;
  const key = `${namespace}/${name}`;
  const limited = linkedAbort(signal);
  const cancel = deps.clock.after(LONGEST_WAIT_MS, () => limited.abort(late(claim)));
  try {
    const taking = () => deps.claimTurns.take(key, limited.signal);
    const what = `Waiting for PersistentVolumeClaim '${name}': it is used by another backup or restore`;
    const leave = deps.claimTurns.isTaken(key) ? await waiting(what, taking) : await taking();
    try {
      return { nodeName: await whereFree(deps, claim, waiting, limited.signal), leave };
    } catch (error) {
      leave();
      throw error;
    }
  } finally {
    cancel();
    limited.unlink();
  }
}

async function whereFree(
  { client, clock, random }: Deps,
  claim: Stored<PersistentVolumeClaim>,
  waiting: Waiting,
  signal: AbortSignal,
): Promise<string | undefined> {
  const backoff = new Backoff({ firstMs: FIRST_PAUSE_MS, lastMs: LAST_PAUSE_MS, random });
  for (;;) {
    const users = await usersOf(client, claim.metadata, signal);
    const other = users.find((user) => isWorker(user) || isForOnePod(claim));
    if (!other) return users.find(({ spec }) => spec?.nodeName)?.spec?.nodeName;
    await waiting(waitingFor(claim, other), () => pause(clock, backoff.nextMs(), signal));
    signal.throwIfAborted();
  }
}

function waitingFor({ metadata }: Stored<PersistentVolumeClaim>, { metadata: pod }: ClaimUser): string {
  const [owner] = pod.ownerReferences ?? [];
  const whose = owner ? ` of ${owner.kind} '${owner.name}'` : "";
  const does = pod.deletionTimestamp ? "is ending" : "uses it";
  return `Waiting for PersistentVolumeClaim '${metadata.name}': pod '${pod.name}'${whose} ${does}`;
}

function late({ metadata }: Stored<PersistentVolumeClaim>): ObjectStoreError {
  const { namespace, name } = metadata;
  const operation = `open volume '${name}'`;
  const message = `PersistentVolumeClaim '${namespace}/${name}' was in use by other pods for an hour: use a separate PVC for this backup, or a ReadWriteMany one`;
  return new ObjectStoreError("unavailable", { operation, message });
}
