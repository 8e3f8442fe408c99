import type { ObjectStore } from "@etcd-operator/object-store";
import { obstacleTo, versitygw } from "../../objectstore/go-program.ts";
import type { ClusterScenario } from "../cluster-scenario.ts";
import type { BackupPlace } from "./backup-places.ts";
import { BackupsUnderTest } from "./backups-under-test.ts";
import type { Cloud } from "./cloud-places.ts";
import { openVolumePlace } from "./volume-place.ts";

export type Store = Cloud | "volume";

/** A store that can be looked into. */
export interface OpenPlace extends BackupPlace {
  open(): Promise<ObjectStore>;
  unfinishedUploads(): Promise<readonly string[]>;
}

interface Subject<Place> {
  readonly place: Place;
  readonly backups: BackupsUnderTest;
  /** Reads it without the operator. */
  readonly store: ObjectStore;
}

const ALL: readonly Store[] = ["s3", "oss", "azure", "gcs", "volume"];
const obstacle = await obstacleTo(versitygw);

/** All kinds of stores whose server can be had on this machine. */
export const STORES = ALL.filter((store) => !obstacle || (store !== "s3" && store !== "oss"));
export const CLOUDS = STORES.filter((store) => store !== "volume");

/**
 * The same scenario in every kind of store: the server of each, its EtcdBackups, and one operator that finds them all.
 */
export class StoresUnderTest<CloudPlace extends OpenPlace> {
  readonly #subjects = new Map<Store, Subject<OpenPlace>>();

  /** The scenario has no operator yet. */
  static async start<CloudPlace extends OpenPlace>(
    scenario: ClusterScenario,
    make: (cloud: Cloud) => Promise<CloudPlace>,
    stores: readonly Store[] = STORES,
  ): Promise<StoresUnderTest<CloudPlace>> {
    const all = await StoresUnderTest.withoutOperator(scenario, make, stores);
    await scenario.startOperator({ env: all.env });
    return all;
  }

  static async withoutOperator<CloudPlace extends OpenPlace>(
    scenario: ClusterScenario,
    make: (cloud: Cloud) => Promise<CloudPlace>,
    stores: readonly Store[],
  ): Promise<StoresUnderTest<CloudPlace>> {
    const all = new StoresUnderTest<CloudPlace>();
    for (const kind of stores) {
      const place = kind === "volume" ? await openVolumePlace(scenario) : await make(kind);
      const backups = await BackupsUnderTest.at(scenario, place);
      all.#subjects.set(kind, { place, backups, store: await place.open() });
    }
    return all;
  }

  /** What an operator needs to find them. */
  get env(): Readonly<Record<string, string>> {
    return Object.assign({}, ...[...this.#subjects.values()].map(({ place }) => place.operatorEnv ?? {}));
  }

  of(store: Store): Subject<OpenPlace> {
    const subject = this.#subjects.get(store);
    if (!subject) throw new Error(`${store} was not started`);
    return subject;
  }

  cloud(store: Cloud): Subject<CloudPlace> {
    return this.of(store) as Subject<CloudPlace>;
  }

  async stop(): Promise<void> {
    for (const { place, store } of this.#subjects.values()) {
      await store.close();
      await place.stop();
    }
  }
}
