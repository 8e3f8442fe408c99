import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { goVersion } from "@etcd-operator/local-kubernetes/binaries/build-with-go.ts";
import { cacheRoot } from "@etcd-operator/local-kubernetes/binaries/cache-root.ts";
import { fillOnce } from "@etcd-operator/local-kubernetes/binaries/cached-folder.ts";
import { obstacleToBuilding } from "@etcd-operator/local-kubernetes/binaries/go-module.ts";
import { runCommand } from "@etcd-operator/local-kubernetes/binaries/run-command.ts";
import { executableAt } from "@etcd-operator/local-kubernetes/processes/executable.ts";

/** A program that a module under tools/ builds: from the user's cache, else with Go into it. */
export interface GoProgram {
  /** Of the folder under tools/, and of the program. */
  readonly name: string;
  readonly module: string;
  readonly package: string;
  /** What building it takes on 2 cores. */
  readonly minutes: number;
}

/** The S3 server of the tests: light, and quickly built. */
export const versitygw: GoProgram = {
  name: "versitygw",
  module: "github.com/versity/versitygw",
  package: "github.com/versity/versitygw/cmd/versitygw",
  minutes: 2,
};

/** The S3 server of the benchmark: the most common one that users run themselves. */
export const minio: GoProgram = {
  name: "minio",
  module: "github.com/minio/minio",
  package: "github.com/minio/minio",
  minutes: 4,
};

/** Judges the workflows of GitHub. */
export const actionlint: GoProgram = {
  name: "actionlint",
  module: "github.com/rhysd/actionlint",
  package: "github.com/rhysd/actionlint/cmd/actionlint",
  minutes: 1,
};

/** The DNS of a real node: our own choice of its plugins, in tools/coredns/main.go. */
export const coredns: GoProgram = {
  name: "coredns",
  module: "github.com/coredns/coredns",
  package: ".",
  minutes: 3,
};

/** Why there can be no such program on this machine; undefined when there can. */
export async function obstacleTo(program: GoProgram): Promise<string | undefined> {
  const { version, go, folder } = await pinned(program);
  if (await executableAt(join(folder, program.name))) return undefined;
  return obstacleToBuilding({ version, go, dir: moduleFolder(program) }, await goVersion({ env: process.env }));
}

export async function binaryOf(program: GoProgram): Promise<string> {
  const { version, folder } = await pinned(program);
  await fillOnce(folder, {
    what: `${program.name} ${version}`,
    env: process.env,
    isComplete: async (dir) => (await executableAt(join(dir, program.name))) !== undefined,
    fill: ({ result }) => build(program, version, result),
  });
  return join(folder, program.name);
}

async function pinned(program: GoProgram): Promise<{ version: string; go: string; folder: string }> {
  const goMod = await readFile(`${moduleFolder(program)}go.mod`, "utf8");
  const line = goMod.split("\n").find((each) => each.startsWith(`require ${program.module} v`));
  const [version, go] = [line?.split(" v")[1]?.trim(), /^go\s+(\S+)/m.exec(goMod)?.[1]];
  if (!version || !go) throw new Error(`tools/${program.name}/go.mod does not require ${program.module} at a version`);
  return { version, go, folder: join(cacheRoot(process.env), program.name, version) };
}

async function build(program: GoProgram, version: string, result: string): Promise<void> {
  const { name, minutes } = program;
  process.stderr.write(`Building ${name} ${version}: once, about ${minutes} minutes on 2 cores\n`);
  await runCommand("go", ["build", "-trimpath", "-buildvcs=false", "-o", `${result}/`, program.package], {
    operation: `build ${name} ${version}`,
    cwd: moduleFolder(program),
    env: { ...process.env, GOTOOLCHAIN: "local", GOFLAGS: "-mod=readonly", GOWORK: "off", CGO_ENABLED: "0" },
  });
}

function moduleFolder({ name }: GoProgram): string {
  return fileURLToPath(new URL(`../../../../tools/${name}/`, import.meta.url));
}
