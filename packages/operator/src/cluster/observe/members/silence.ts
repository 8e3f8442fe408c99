import type { Clock } from "@etcd-operator/kubernetes-client";

/** A pod whose member may be asked. */
export interface AskedPod {
  readonly uid: string;
  /** Changes when the kubelet or Kubernetes judges the pod in another way. */
  readonly readiness: string;
}

interface SilentMember {
  readonly readiness: string;
  /** When it has as long to answer as any other. */
  readonly patientAtMs: number;
  readonly waitMs: number;
}

/** How soon after it was silent a member has all of the time to answer again; then twice as long each time. */
const FIRST_WAIT_MS = 10_000;
const LAST_WAIT_MS = 60_000;

/**
 * Which members did not answer in their time. A healthy member answers within milliseconds, so for a while they
 * get little of it: with a zone that does not respond, a thousand clusters would spend their reconciles waiting.
 * Nothing is done to a member for that alone: what removes one asks again, with patience.
 */
export class Silence {
  readonly #clock: Pick<Clock, "monotonic">;
  /** By cluster, then by the UID of the pod. */
  readonly #silent = new Map<string, ReadonlyMap<string, SilentMember>>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Whether an answer is not worth waiting for this time. */
  isExpected(key: string, { uid, readiness }: AskedPod): boolean {
    const known = this.#silent.get(key)?.get(uid);
    return known !== undefined && known.readiness === readiness && this.#clock.monotonic() < known.patientAtMs;
  }

  /** What all members of a cluster answered that were asked. */
  learn(key: string, pods: readonly AskedPod[], isSilent: (uid: string) => boolean): void {
    const before = this.#silent.get(key);
    const nowMs = this.#clock.monotonic();
    const silent = pods
      .filter(({ uid }) => isSilent(uid))
      .map(({ uid, readiness }): [string, SilentMember] => {
        const known = before?.get(uid);
        if (known && nowMs < known.patientAtMs && known.readiness === readiness) return [uid, known];
        const waitMs = known ? Math.min(LAST_WAIT_MS, 2 * known.waitMs) : FIRST_WAIT_MS;
        return [uid, { readiness, patientAtMs: nowMs + waitMs, waitMs }];
      });
    if (silent.length > 0) this.#silent.set(key, new Map(silent));
    else this.#silent.delete(key);
  }

  forget(key: string): void {
    this.#silent.delete(key);
  }
}
