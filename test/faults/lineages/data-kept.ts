import type { Transaction } from "@etcd-operator/etcd-client/transaction.ts";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { PersistentVolumeClaim } from "kubernetes-types/core/v1.d.ts";
import { keysIn } from "../model/etcd/snapshot.ts";
import type { Stage } from "../workloads/stage.ts";
import { objectOf } from "../world/stored-objects.ts";
import { inShort, type Ledger } from "./ledger.ts";

type Keys = Pick<ReadonlySet<string>, "has">;
type Claim = Stored<PersistentVolumeClaim>;

interface Scene extends Pick<Stage, "objects" | "machine" | "backups"> {
  /** UIDs of the claims that were deleted by hand, or with their disks. */
  readonly takenByHand: ReadonlySet<string>;
}

/**
 * Checks every claim and every backup that is deleted: its data must be somewhere else, as far as it was acknowledged
 * to clients.
 */
export class DataKept {
  readonly #scene: Scene;
  readonly #ledger: Ledger;
  readonly #timer: NodeJS.Timeout;
  readonly #found: string[] = [];
  #stored: ReadonlyMap<string, Uint8Array> = new Map();
  #seen = 0;

  constructor(scene: Scene, ledger: Ledger) {
    this.#scene = scene;
    this.#ledger = ledger;
    this.#timer = setInterval(() => this.look(), 500);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  /** What is gone, though it was nowhere else. */
  get found(): readonly string[] {
    return this.#found;
  }

  look(): void {
    const gone = this.#goneClaims();
    const dropped = this.#droppedBackups();
    if (gone.length === 0 && dropped.length === 0) return;
    const left = placesLeft(this.#scene);
    for (const [name, keys] of [...gone.map((claim) => this.#onDisk(claim)), ...dropped]) {
      const nowhere = this.#ledger.missingFrom(...left).filter(({ key }) => keys.has(key));
      if (nowhere.length > 0) {
        this.#found.push(`${name} was deleted, and nothing else has the acknowledged writes ${inShort(nowhere)}`);
      }
    }
  }

  #goneClaims(): readonly Claim[] {
    const { events } = this.#scene.objects;
    const news = events.slice(this.#seen);
    this.#seen = events.length;
    return news
      .filter(({ kind, plural }) => kind === "deleted" && plural === resources.persistentVolumeClaims.plural)
      .map((event) => objectOf(event) as Claim)
      .filter(({ metadata }) => !this.#scene.takenByHand.has(metadata.uid));
  }

  #onDisk(claim: Claim): readonly [string, Keys] {
    return [`claim ${claim.metadata.name}`, keysOn(this.#scene, claim)];
  }

  #droppedBackups(): readonly (readonly [string, Keys])[] {
    const { objects } = this.#scene.backups.store;
    const before = this.#stored;
    this.#stored = new Map(objects);
    return [...before].flatMap(([name, bytes]) => {
      const keys = objects.has(name) ? undefined : keysIn(bytes)?.keys;
      return keys ? [[`backup ${name}`, keys] as const] : [];
    });
  }
}

/** What is on each disk that has a claim, and in each backup. */
export function placesLeft(scene: Scene): readonly Keys[] {
  const claims = scene.objects.of(resources.persistentVolumeClaims);
  const snapshots = [...scene.backups.store.objects.values()].flatMap((bytes) => keysIn(bytes)?.keys ?? []);
  return [...claims.map((claim) => keysOn(scene, claim)), ...snapshots];
}

const NOTHING: Keys = new Set<string>();

function keysOn({ machine }: Scene, { spec }: Claim): Keys {
  const data = spec?.volumeName ? machine.kubelet.volume(spec.volumeName).data : undefined;
  if (!data) return NOTHING;
  const unapplied = data.log.filter(({ index }) => index > data.state.index);
  const logged = new Set(unapplied.flatMap(({ change }) => (change.kind === "write" ? putBy(change.transaction) : [])));
  return { has: (key) => data.state.keys.newest.has(key) || logged.has(key) };
}

function putBy({ success }: Transaction): readonly string[] {
  return success.flatMap((operation) => (operation.kind === "put" ? [String(operation.key)] : []));
}
