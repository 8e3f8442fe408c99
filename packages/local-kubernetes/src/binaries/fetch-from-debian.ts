import { mkdir, readdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { aptConfiguration, aptFolders } from "./apt-configuration.ts";
import { BinariesError } from "./binaries-error.ts";
import { isExecutable } from "./binaries-folder.ts";
import type { WorkFolders } from "./cached-folder.ts";
import { listedVersions, upstreamVersion } from "./debian-packages.ts";
import { machineAptSources } from "./machine-apt-sources.ts";
import { debianArchives, privateSources } from "./private-sources.ts";
import { runCommand, type Surroundings } from "./run-command.ts";

/** Packages of a Debian release. */
export interface DebianPackages {
  readonly suite: string;
  readonly packages: readonly string[];
  /** The upstream version of the packages; whatever the release has, when absent. */
  readonly version?: string;
}

/** Programs that packages of a Debian release bring. */
export interface DebianPrograms extends DebianPackages {
  /** What to keep of the packages' programs; those that a version lacks are passed over. */
  readonly programs: readonly string[];
}

/** Takes programs out of a Debian release with apt's own tools, in folders of our own; nothing is installed. */
export async function fetchFromDebian(
  release: DebianPrograms,
  { scratch, result }: WorkFolders,
  surroundings: Surroundings,
): Promise<void> {
  const root = await unpackFromDebian(release, scratch, surroundings);
  await keepPrograms(release.programs, join(root, "usr", "bin"), result);
}

/** Unpacks packages of a Debian release, and returns the folder that stands for "/"; nothing is installed. */
export async function unpackFromDebian(
  release: DebianPackages,
  scratch: string,
  surroundings: Surroundings,
): Promise<string> {
  const apt = await privateApt(scratch, release.suite, surroundings);
  // One of several mirrors may lack the suite, so a failure only counts when the packages are not found afterwards.
  const updateFailure = await apt("apt-get", "update").then(
    ({ stderr }) => stderr.trim(),
    (error: unknown) => {
      if (error instanceof BinariesError && error.code === "command-failed") return error;
      throw error;
    },
  );
  const { stdout: madison } = await apt("apt-cache", "madison", ...release.packages);
  const wanted = release.packages.map((name) => `${name}=${packageVersion(madison, name, release, updateFailure)}`);
  await apt("apt-get", "download", ...wanted);
  const root = join(scratch, "root");
  await unpack(join(scratch, "debs"), root, surroundings);
  return root;
}

type Apt = (program: "apt-get" | "apt-cache", ...args: string[]) => ReturnType<typeof runCommand>;

async function privateApt(dir: string, suite: string, surroundings: Surroundings): Promise<Apt> {
  const operation = `fetch packages of Debian ${suite}`;
  const archives = debianArchives(await machineAptSources());
  const { stdout: architecture } = await runCommand("dpkg", ["--print-architecture"], { operation, ...surroundings });
  await Promise.all(aptFolders.map((folder) => mkdir(join(dir, folder), { recursive: true })));
  await writeFile(join(dir, "status"), "");
  await writeFile(join(dir, "sources", "debian.sources"), privateSources(archives, suite, architecture.trim()));
  await writeFile(join(dir, "apt.conf"), aptConfiguration(dir));
  const env = { ...surroundings.env, LC_ALL: "C" };
  return (program, ...args) =>
    runCommand(program, ["-c", join(dir, "apt.conf"), ...args], {
      operation,
      cwd: join(dir, "debs"),
      ...surroundings,
      env,
    });
}

function packageVersion(
  madison: string,
  name: string,
  { version, suite }: DebianPackages,
  updateFailure: BinariesError | string,
): string {
  const there = listedVersions(madison, name);
  const match = there.find((candidate) => version === undefined || upstreamVersion(candidate) === version);
  if (match !== undefined) return match;
  const operation = `find ${name} ${version ?? ""} in Debian ${suite}`;
  if (there.length > 0) {
    const message = `Debian ${suite} no longer has etcd ${version}; it now has ${there.join(", ")}`;
    throw new BinariesError("moved-on", operation, message);
  }
  const reason = updateFailure instanceof BinariesError ? updateFailure.message : updateFailure;
  const message = `Could not ${operation}: apt knows no such package after an update\n${reason}`;
  throw new BinariesError("command-failed", operation, message.trimEnd(), { cause: updateFailure });
}

async function unpack(debs: string, root: string, surroundings: Surroundings): Promise<void> {
  for (const deb of await readdir(debs)) {
    await runCommand("dpkg-deb", ["-x", join(debs, deb), root], { operation: `unpack ${deb}`, ...surroundings });
  }
}

async function keepPrograms(programs: readonly string[], from: string, to: string): Promise<void> {
  for (const name of programs) {
    if (await isExecutable(join(from, name))) await rename(join(from, name), join(to, name));
  }
}
