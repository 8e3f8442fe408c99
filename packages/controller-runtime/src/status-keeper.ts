import type { KubeClient, Resource } from "@etcd-operator/kubernetes-client";
import { filledUp, type KubeObject, keyOf, prunedFields, type Stored } from "@etcd-operator/kubernetes-client";
import type { TrackedClient } from "./tracked-client.ts";

type WithStatus = KubeObject & { readonly status?: unknown };

/**
 * The API server stored less than it was sent, so its CRD is older than this operator: what it forgets may be what
 * keeps data safe.
 */
export class StatusPruned extends Error {
  override readonly name = "StatusPruned";
  readonly code = "crd-outdated";
}

interface Pruned {
  readonly key: string;
  readonly uid: string;
  /** What was to be written. */
  readonly sent: unknown;
  readonly why: string;
}

/**
 * Writes the statuses of one kind, and compares what was stored with what was sent. Once a field was dropped, nothing
 * is to be done for any object of the kind until a write comes back complete.
 */
export class StatusKeeper<T extends WithStatus> {
  readonly #resource: Resource<T>;
  readonly #client: Pick<KubeClient, "updateStatus">;
  readonly #toWrite: (seen: Stored<T>, next: object) => object;
  #pruned: Pruned | undefined;

  /** `toWrite` adds to a new status what a newer release has stored in fields that this one does not know. */
  constructor(
    resource: Resource<T>,
    client: Pick<KubeClient, "updateStatus">,
    toWrite: (seen: Stored<T>, next: object) => object,
  ) {
    this.#toWrite = toWrite;
    this.#resource = resource;
    this.#client = client;
  }

  /** Why nothing may be done; undefined while all is stored. */
  get complaint(): string | undefined {
    return this.#pruned?.why;
  }

  /** The version that was seen goes along, so nothing is written over what was not seen. Gives what is stored then. */
  async write(writer: TrackedClient, object: Stored<T>, status: object, signal: AbortSignal): Promise<Stored<T>> {
    const sent = this.#toWrite(object, status);
    const stored = await writer.updateStatus(this.#resource, { ...object, status: sent } as Stored<T>, { signal });
    this.#compare(object, sent, stored);
    return stored;
  }

  /**
   * Tries again what was not stored, first without storing it: a write that is cut short is a loss. Says whether all is
   * well again.
   */
  async recovers(writer: TrackedClient, object: Stored<T>, signal: AbortSignal): Promise<boolean> {
    const pruned = this.#pruned;
    if (!pruned) return true;
    if (keyOf(object.metadata) !== pruned.key) return false;
    if (object.metadata.uid !== pruned.uid) return this.#forget();
    const status = filledUp(object.status ?? {}, pruned.sent);
    const whole = { ...object, status } as Stored<T>;
    const tried = await this.#client.updateStatus(this.#resource, whole, { signal, dryRun: true });
    if (prunedFields(status, tried.status).length > 0) return false;
    await writer.updateStatus(this.#resource, whole, { signal });
    return this.#forget();
  }

  /** With the object that showed it, the proof is gone; the next write finds out again. */
  forget(key: string): void {
    if (this.#pruned?.key === key) this.#forget();
  }

  #forget(): true {
    this.#pruned = undefined;
    return true;
  }

  #compare({ metadata }: Stored<T>, sent: unknown, stored: Stored<T>): void {
    const [first, ...others] = prunedFields(sent, stored.status);
    if (first === undefined) return;
    const more = others.length > 0 ? ` and ${others.length} more` : "";
    const why =
      `The API server drops ${first}${more} of ${this.#resource.kind} objects: its CRD is older than this operator, which changes nothing until ` +
      "an administrator applies deploy/crd, or starts it with --create-crd";
    this.#pruned = { key: keyOf(metadata), uid: metadata.uid, sent, why };
    throw new StatusPruned(why);
  }
}
