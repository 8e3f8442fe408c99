import { readdir } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { binariesIn, isExecutable, versionOf } from "./binaries-folder.ts";
import { goModules, goVersion } from "./build-with-go.ts";
import { etcdCacheRoot } from "./cache-root.ts";
import { debianReleasesOfEtcd } from "./debian-packages.ts";
import { obstacleToBuilding } from "./go-module.ts";
import { machineAptSources } from "./machine-apt-sources.ts";
import type { Offer } from "./offer.ts";
import { debianArchives } from "./private-sources.ts";
import { repositoryRoot } from "./repository-root.ts";
import type { Surroundings } from "./run-command.ts";
import { isVersion } from "./version.ts";

export type Log = (line: string) => void;

/**
 * Everything this machine offers, in the order of preference: the user's choice, what is at hand, what is to be made.
 */
export async function survey(surroundings: Surroundings, log?: Log): Promise<Offer[]> {
  const offers = await Promise.all([
    offerOfBinDir(surroundings, log),
    offerOnPath(surroundings),
    cachedOffers(surroundings.env),
    debianOffers(surroundings.env),
    goOffers(surroundings),
  ]);
  return offers.flat();
}

async function offerOfBinDir(surroundings: Surroundings, log?: Log): Promise<Offer[]> {
  const { ETCD_BIN_DIR } = surroundings.env;
  if (!ETCD_BIN_DIR) return [];
  const offer = await offerIn("ETCD_BIN_DIR", resolve(ETCD_BIN_DIR), surroundings);
  if (!offer) log?.(`ETCD_BIN_DIR is "${ETCD_BIN_DIR}", which holds no working etcd and etcdctl: passing over it`);
  return offer ? [offer] : [];
}

async function offerOnPath(surroundings: Surroundings): Promise<Offer[]> {
  const dir = await folderOnPath("etcd", surroundings.env);
  const offer = dir === undefined ? undefined : await offerIn("PATH", dir, surroundings);
  return offer ? [offer] : [];
}

async function offerIn(
  source: "ETCD_BIN_DIR" | "PATH",
  dir: string,
  surroundings: Surroundings,
): Promise<Offer | undefined> {
  const binaries = await binariesIn(dir);
  // A binary that does not run here, such as one for another architecture, is as good as none.
  const version = binaries && (await versionOf(binaries.etcd, surroundings).catch(() => undefined));
  return version === undefined ? undefined : { source, version, dir };
}

async function cachedOffers(env: NodeJS.ProcessEnv): Promise<Offer[]> {
  const root = etcdCacheRoot(env);
  const names = (await readdir(root).catch(() => [])).filter(isVersion);
  const offers = await Promise.all(
    names.map(async (version): Promise<Offer[]> => {
      const binaries = await binariesIn(join(root, version));
      return binaries ? [{ source: "cache", version, dir: binaries.dir }] : [];
    }),
  );
  return offers.flat();
}

async function debianOffers(env: NodeJS.ProcessEnv): Promise<Offer[]> {
  const obstacle = await obstacleToDebian(env);
  return debianReleasesOfEtcd.map((release) => ({ source: "debian", ...release, ...(obstacle && { obstacle }) }));
}

async function obstacleToDebian(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const tool of ["apt-get", "apt-cache", "dpkg", "dpkg-deb"]) {
    if (!(await folderOnPath(tool, env))) return `needs a Debian machine or container: ${tool} is not on the PATH`;
  }
  const archives = debianArchives(await machineAptSources());
  return archives.length > 0 ? undefined : "needs Debian's main archive in this machine's apt sources";
}

async function goOffers(surroundings: Surroundings): Promise<Offer[]> {
  const root = repositoryRoot();
  const modules = root === undefined ? [] : await goModules(join(root, "tools"));
  if (modules.length === 0) return [];
  const go = await goVersion(surroundings);
  return modules.map((module) => {
    const obstacle = obstacleToBuilding(module, go);
    return { source: "go", version: module.version, module, ...(obstacle && { obstacle }) };
  });
}

async function folderOnPath(program: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const dir of (env.PATH ?? "").split(delimiter).filter((entry) => entry !== "")) {
    if (await isExecutable(join(dir, program))) return resolve(dir);
  }
  return undefined;
}
