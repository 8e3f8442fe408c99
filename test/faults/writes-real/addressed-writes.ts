import { sortedJson } from "@etcd-operator/kubernetes-client";
import type { EtcdClusterStatus } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { ANNOTATIONS } from "@etcd-operator/operator/cluster/objects/annotations.ts";
import type { Fault } from "../transport/fault.ts";
import type { NumberedWrites } from "../transport/writes.ts";

/** Which write of a run goes wrong, and how. */
export interface AddressedFault {
  readonly write: string;
  readonly fault: Fault;
}

/**
 * The writes of a run, each with a name that it has in every run: which of its kind it is, such as "post-pods-2". A
 * cluster's status goes by what it puts on record: its id, or the member that is to join. One that only reports how
 * things are comes more or less often, as things take their time; it goes by what was written before it:
 * "word-1-after-post-pods-2". How far logs have got is noted in between.
 */
export class AddressedWrites implements NumberedWrites {
  readonly #faultAt: AddressedFault | undefined;
  readonly #sent: string[] = [];
  readonly #counts = new Map<string, number>();
  #last = "begin";
  #status: EtcdClusterStatus | undefined;
  #faultMs: number | undefined;
  #lastMs = performance.now();

  constructor(faultAt?: AddressedFault) {
    this.#faultAt = faultAt;
  }

  get sent(): readonly string[] {
    return this.#sent;
  }

  /** When the fault happened, if it has. */
  get faultMs(): number | undefined {
    return this.#faultMs;
  }

  /** How long nothing was written, since the last write or since the beginning. */
  get quietMs(): number {
    return performance.now() - this.#lastMs;
  }

  /** Events are sent and forgotten, so they do not count. */
  next(what: string, body?: string): Fault | undefined {
    if (what.endsWith(" events")) return undefined;
    const write = this.#nameOf(what, body);
    this.#sent.push(write);
    this.#lastMs = performance.now();
    if (write !== this.#faultAt?.write) return undefined;
    this.#faultMs = this.#lastMs;
    return this.#faultAt.fault;
  }

  #nameOf(what: string, body = "{}"): string {
    if (NOTE.test(what) && isNote(body)) return this.#numbered(kebab(what.replace("PATCH", "note")));
    const of = STATUS.exec(what)?.[1];
    const kind = of === "cluster" ? this.#statusKind(body) : of ? `${of}-${WORD}` : kebab(what);
    if (kind.endsWith(WORD)) return this.#numbered(`${kind} after ${this.#last}`);
    this.#last = this.#numbered(kind);
    return this.#last;
  }

  #statusKind(body: string): string {
    const [before, { status: now = {} }] = [this.#status, JSON.parse(body) as { status?: EtcdClusterStatus }];
    this.#status = now;
    if (before && !before.clusterID && now.clusterID) return "record";
    const isSame = sortedJson(now.memberIntents ?? []) === sortedJson(before?.memberIntents ?? []);
    return isSame ? WORD : "intents";
  }

  #numbered(kind: string): string {
    const number = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, number);
    const [first, ...place] = kind.split(" ");
    return [first, number, ...place].join("-");
  }
}

const WORD = "word";
const NOTE = /^PATCH (pods|persistentvolumeclaims)$/;
const STATUS = /^PUT etcd(cluster|backup|restore)s\/status$/;

const NOTES: ReadonlySet<string> = new Set([ANNOTATIONS.logReached, ANNOTATIONS.clusterRecord, ANNOTATIONS.leaving]);

/** How far a log has got is written down in its own time, and so is what a later EtcdCluster has to know. */
function isNote(body: string): boolean {
  const { metadata } = JSON.parse(body) as { metadata?: { annotations?: object } };
  const keys = Object.keys(metadata?.annotations ?? {});
  return keys.length > 0 && keys.every((key) => NOTES.has(key));
}

function kebab(what: string): string {
  return what
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .replace(/[ /]/g, "-")
    .toLowerCase();
}
