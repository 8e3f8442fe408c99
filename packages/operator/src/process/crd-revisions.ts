import type { Logger } from "@etcd-operator/controller-runtime";
import type { KubeClient } from "@etcd-operator/kubernetes-client";
import {
  Backoff,
  type Clock,
  hasCode,
  pathOf,
  pause,
  type Resource,
  resources,
} from "@etcd-operator/kubernetes-client";
import type { CustomResourceDefinition } from "kubernetes-types/apiextensions/v1.d.ts";
import { SCHEMA_REVISION } from "../api/crd/custom-resource-definition.ts";
import { GROUP } from "../api/group.ts";
import { schemaRevisionOf } from "./crd-step.ts";

export interface CrdRevisionsOptions {
  readonly client: Pick<KubeClient, "request">;
  /** Those that the controllers work with. */
  readonly kinds: readonly Resource[];
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: () => number;
  /** Brings CRDs up to date, where the operator may. */
  readonly upgrade?: ((signal: AbortSignal) => Promise<void>) | undefined;
}

const BACKOFF = { firstMs: 200, lastMs: 15_000 };
/** An idle operator asks for as little as can be; what an older CRD drops shows with the next write in any case. */
const EVERY_MS = 600_000;
/** Nothing is done until the CRD is updated. */
const WHILE_OUTDATED_MS = 15_000;
/** Of the schemas, which are long, nothing is needed. */
const METADATA_ONLY = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
const REMEDY = "an administrator applies deploy/crd of this release, or starts the operator with --create-crd";

/**
 * Whether the CRDs are at least as new as this operator: the API server silently drops fields that their schema does
 * not know. If CRDs cannot be read for lack of rights, only a write reveals it (`StatusKeeper`).
 */
export class CrdRevisions {
  readonly #options: CrdRevisionsOptions;
  readonly #complaints = new Map<string, string>();
  #isForbidden = false;

  constructor(options: CrdRevisionsOptions) {
    this.#options = options;
  }

  complaintOf(kind: string): string | undefined {
    return this.#complaints.get(kind);
  }

  get complaints(): readonly string[] {
    return [...this.#complaints.values()];
  }

  /** Returns when all are new enough, or cannot be read, or the signal aborts. */
  async waitUntilCurrent(signal: AbortSignal): Promise<void> {
    const { clock, random, logger } = this.#options;
    const backoff = new Backoff({ ...BACKOFF, random });
    while (!signal.aborted && !this.#isForbidden) {
      const isKnown = await this.#check(signal).catch((error: unknown) => {
        if (!signal.aborted) logger.warn({ err: error }, "could not check the revision of the CRDs");
        return false;
      });
      if (isKnown && this.#complaints.size === 0) return;
      await pause(clock, backoff.nextMs(), signal);
    }
  }

  /** Checks again and again: older ones may be applied over them. */
  async watch(signal: AbortSignal): Promise<void> {
    const { clock, random, logger } = this.#options;
    while (!signal.aborted && !this.#isForbidden) {
      const everyMs = this.#complaints.size > 0 ? WHILE_OUTDATED_MS : EVERY_MS;
      await pause(clock, everyMs * (0.8 + 0.4 * random()), signal);
      if (signal.aborted) return;
      // If the check fails, the result is as before; the controllers report problems with the API server themselves.
      await this.#check(signal).catch((error: unknown) => logger.warn({ err: error }, "could not check the CRDs"));
    }
  }

  async #check(signal: AbortSignal): Promise<boolean> {
    for (const kind of this.#options.kinds) this.#note(kind, await this.#complaintAbout(kind, signal));
    if (this.#complaints.size === 0 || !this.#options.upgrade) return true;
    await this.#options.upgrade(signal);
    this.#complaints.clear();
    return true;
  }

  #note({ kind }: Resource, complaint: string | undefined): void {
    if (complaint === undefined) this.#complaints.delete(kind);
    else if (this.#complaints.get(kind) !== complaint) {
      this.#complaints.set(kind, complaint);
      this.#options.logger.warn(complaint);
    }
  }

  async #complaintAbout({ kind, plural }: Resource, signal: AbortSignal): Promise<string | undefined> {
    const name = `${plural}.${GROUP}`;
    try {
      const path = pathOf(resources.customResourceDefinitions, { name });
      const found = await this.#options.client.request<Pick<CustomResourceDefinition, "metadata">>("GET", path, {
        accept: METADATA_ONLY,
        signal,
      });
      const revision = schemaRevisionOf(found);
      if (revision >= SCHEMA_REVISION) return undefined;
      return `CRD '${name}' is older (schema revision ${revision}) than this operator (${SCHEMA_REVISION}), so no ${kind} is reconciled: ${REMEDY}`;
    } catch (error) {
      // It is deleted, with all its objects; nothing could be dropped.
      if (hasCode(error, "not-found")) return undefined;
      if (!hasCode(error, "forbidden")) throw error;
      if (!this.#isForbidden)
        this.#options.logger.info(
          { crd: name },
          "no permission to read CRDs: an outdated CRD is noticed only when a status is written",
        );
      this.#isForbidden = true;
      return undefined;
    }
  }
}
