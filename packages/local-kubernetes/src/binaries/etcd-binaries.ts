import { join } from "node:path";
import { BinariesError } from "./binaries-error.ts";
import { type BinaryPaths, binariesIn, versionOf } from "./binaries-folder.ts";
import { buildWithGo } from "./build-with-go.ts";
import { etcdCacheRoot } from "./cache-root.ts";
import { fillOnce, type WorkFolders } from "./cached-folder.ts";
import { etcdPackages, etcdPrograms } from "./debian-packages.ts";
import { fetchFromDebian } from "./fetch-from-debian.ts";
import { bestOffers, chooseOffer, describeSource, type Offer, type OpenOffer } from "./offer.ts";
import type { Surroundings } from "./run-command.ts";
import { type Log, survey } from "./survey.ts";
import { plainVersion } from "./version.ts";

export interface EtcdBinaries extends BinaryPaths {
  readonly version: string;
  readonly source: Offer["source"];
}

export interface EtcdBinariesOptions extends Partial<Surroundings> {
  /** Told what takes long while it happens. */
  readonly log?: Log;
}

/** Finds the binaries of an etcd version on this machine, or fetches or builds them into the user's cache. */
export async function etcdBinaries(written: string, options: EtcdBinariesOptions = {}): Promise<EtcdBinaries> {
  const { log, ...surroundings } = { env: process.env, ...options };
  const version = plainVersion(written);
  const offer = chooseOffer(version, await survey(surroundings, log));
  const dir = "dir" in offer ? offer.dir : await cached(offer, surroundings, log);
  const binaries = await binariesIn(dir);
  if (binaries) return { ...binaries, version, source: offer.source };
  throw new BinariesError("wrong-binary", `find etcd ${version}`, `etcd or etcdctl has just vanished from ${dir}`);
}

/** One offer for every version this machine knows a way to, oldest first; some have an obstacle. */
export async function obtainableVersions(options: EtcdBinariesOptions = {}): Promise<Offer[]> {
  const { log, ...surroundings } = { env: process.env, ...options };
  return bestOffers(await survey(surroundings, log));
}

type MakingOffer = Extract<OpenOffer, { source: "debian" | "go" }>;

async function cached(offer: MakingOffer, surroundings: Surroundings, log?: Log): Promise<string> {
  const { version } = offer;
  const folder = join(etcdCacheRoot(surroundings.env), version);
  await fillOnce(folder, {
    what: `etcd ${version}`,
    env: surroundings.env,
    signal: surroundings.signal,
    isComplete: async (dir) => (await binariesIn(dir)) !== undefined,
    onWait: () => log?.(`etcd ${version}: waiting for another process that is getting it`),
    fill: async (work) => {
      log?.(`etcd ${version}: getting it (${describeSource(offer)})`);
      await make(offer, work, surroundings);
      await verify(version, work.result, surroundings);
    },
  });
  return folder;
}

async function make(offer: MakingOffer, work: WorkFolders, surroundings: Surroundings): Promise<void> {
  switch (offer.source) {
    case "debian":
      return fetchFromDebian({ ...offer, packages: etcdPackages, programs: etcdPrograms }, work, surroundings);
    case "go":
      return buildWithGo(offer.module, work, surroundings);
  }
}

async function verify(version: string, dir: string, surroundings: Surroundings): Promise<void> {
  const binaries = await binariesIn(dir);
  const found = binaries && (await versionOf(binaries.etcd, surroundings));
  if (found === version) return;
  const what = binaries ? `an etcd that calls itself ${found ?? "nothing"}` : "no etcd and etcdctl";
  throw new BinariesError("wrong-binary", `check etcd ${version}`, `Asked for etcd ${version} and got ${what}`);
}
