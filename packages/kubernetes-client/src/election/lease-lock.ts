import type { Lease } from "kubernetes-types/coordination/v1.d.ts";
import type { Stored } from "../requests/kube-object.ts";
import { hasCode } from "../requests/kubernetes-error.ts";
import type { CallOptions } from "../requests/request-options.ts";
import { resources } from "../requests/resources.ts";
import type { KubeClient } from "../requests/rest-client.ts";
import { type Clock, systemClock } from "../watch/clock.ts";

export interface LeaseLockOptions {
  readonly client: Pick<KubeClient, "get" | "create" | "update">;
  readonly namespace: string;
  readonly name: string;
  /** Never the same for two processes, not even for one after another. */
  readonly identity: string;
  /** Whether a holder has certainly ended, so that its Lease need not run out first; no holder unless told. */
  readonly hasEnded?: ((holder: string) => boolean) | undefined;
  /** How long the others wait without a sign of life. */
  readonly leaseDurationMs: number;
  readonly clock?: Clock | undefined;
}

/** A Lease that one of several holds. Every write has the version read before as its precondition. */
export class LeaseLock {
  readonly #options: LeaseLockOptions;
  readonly #durationMs: number;
  readonly #clock: Clock;
  /** The Lease as we last wrote it; undefined when another client may have written since. */
  #own: Stored<Lease> | undefined;
  /** The Lease as last read, and when we first saw this version of it. */
  #seen: { readonly lease: Stored<Lease>; readonly atMs: number } | undefined;
  #heldSinceMs = Number.NEGATIVE_INFINITY;
  /** A write of ours was sent since the last release, whatever is known of its outcome. */
  #mayHold = false;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
    this.#durationMs = options.leaseDurationMs;
    this.#clock = options.clock ?? systemClock;
  }

  /**
   * On the monotonic clock: before the last successful write was sent. No other process counts from an earlier moment.
   */
  get heldSinceMs(): number {
    return this.#heldSinceMs;
  }

  get holder(): string | undefined {
    return (this.#own ?? this.#seen?.lease)?.spec?.holderIdentity || undefined;
  }

  /** Takes or renews the Lease; false while it is another's. Throws when that could not be found out. */
  async tryHold(call: CallOptions): Promise<boolean> {
    if (this.#own) {
      try {
        await this.#write(this.#own, call);
        return true;
      } catch (error) {
        if (!hasCode(error, "conflict", "not-found")) throw error;
        this.#own = undefined;
      }
    }
    const lease = await this.#read(call);
    if (lease && this.#isAnothers(lease)) return false;
    await this.#write(lease, call);
    return true;
  }

  /** Lets the next one in at once, also where it is not known whether the last write was applied. */
  async release(call: CallOptions): Promise<void> {
    if (!this.#mayHold) return;
    this.#mayHold = false;
    const known = this.#own;
    this.#own = undefined;
    if (known && (await this.#isFreed(known, call))) return;
    const found = await this.#read(call);
    if (found?.spec?.holderIdentity === this.#options.identity) await this.#isFreed(found, call);
  }

  async #isFreed(lease: Stored<Lease>, call: CallOptions): Promise<boolean> {
    const { holderIdentity: _, ...spec } = lease.spec ?? {};
    const released = { ...lease, spec: { ...spec, leaseDurationSeconds: 1, renewTime: this.#microTime() } };
    try {
      await this.#options.client.update(resources.leases, released, call);
      return true;
    } catch (error) {
      if (!hasCode(error, "conflict", "not-found")) throw error;
      return false;
    }
  }

  async #read(call: CallOptions): Promise<Stored<Lease> | undefined> {
    const { client, namespace, name } = this.#options;
    try {
      const lease = await client.get(resources.leases, { namespace, name }, call);
      const isNews = this.#seen?.lease.metadata.resourceVersion !== lease.metadata.resourceVersion;
      if (isNews) this.#seen = { lease, atMs: this.#clock.monotonic() };
      return lease;
    } catch (error) {
      if (hasCode(error, "not-found")) return undefined;
      throw error;
    }
  }

  /** The holder's clock may be wrong: what counts is how long we have seen no sign of life. */
  #isAnothers({ spec }: Stored<Lease>): boolean {
    const { identity, hasEnded } = this.#options;
    if (!spec?.holderIdentity || spec.holderIdentity === identity || hasEnded?.(spec.holderIdentity)) return false;
    const durationMs = (spec.leaseDurationSeconds ?? this.#durationMs / 1000) * 1000;
    return this.#clock.monotonic() < (this.#seen?.atMs ?? 0) + durationMs;
  }

  async #write(lease: Stored<Lease> | undefined, call: CallOptions): Promise<void> {
    const { client, namespace, name, identity } = this.#options;
    const sentAtMs = this.#clock.monotonic();
    this.#mayHold = true;
    const now = this.#microTime();
    const old = lease?.spec;
    const isRenewal = old?.holderIdentity === identity;
    const spec = {
      ...old,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(this.#durationMs / 1000),
      acquireTime: (isRenewal && old.acquireTime) || now,
      renewTime: now,
      leaseTransitions: lease ? (old?.leaseTransitions ?? 0) + (isRenewal ? 0 : 1) : 0,
    };
    this.#own = lease
      ? await client.update(resources.leases, { ...lease, spec }, call)
      : await client.create(resources.leases, { metadata: { namespace, name }, spec }, call);
    this.#heldSinceMs = sentAtMs;
  }

  #microTime(): string {
    return new Date(this.#clock.now()).toISOString().replace("Z", "000Z");
  }
}
