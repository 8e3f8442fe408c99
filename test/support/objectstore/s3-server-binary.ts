import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { goVersion } from "../../../src/local/binaries/build-with-go.ts";
import { cacheRoot } from "../../../src/local/binaries/cache-root.ts";
import { fillOnce } from "../../../src/local/binaries/cached-folder.ts";
import { obstacleToBuilding } from "../../../src/local/binaries/go-module.ts";
import { runCommand } from "../../../src/local/binaries/run-command.ts";
import { executableAt } from "../../../src/local/processes/executable.ts";

const moduleFolder = fileURLToPath(new URL("../../../tools/versitygw/", import.meta.url));

/** Why there can be no S3 server on this machine; undefined when there can. */
export async function obstacleToS3Server(): Promise<string | undefined> {
  const { version, go, folder } = await pinned();
  if (await executableAt(join(folder, "versitygw"))) return undefined;
  return obstacleToBuilding({ version, go, dir: moduleFolder }, await goVersion({ env: process.env }));
}

/** The S3 server for tests: from the user's cache, else built with Go into it. */
export async function s3ServerBinary(): Promise<string> {
  const { version, folder } = await pinned();
  await fillOnce(folder, {
    isComplete: async (dir) => (await executableAt(join(dir, "versitygw"))) !== undefined,
    fill: ({ result }) => build(version, result),
  });
  return join(folder, "versitygw");
}

async function pinned(): Promise<{ version: string; go: string; folder: string }> {
  const goMod = await readFile(`${moduleFolder}go.mod`, "utf8");
  const version = /^require github\.com\/versity\/versitygw v(\S+)$/m.exec(goMod)?.[1];
  const go = /^go\s+(\S+)/m.exec(goMod)?.[1];
  if (!version || !go) throw new Error(`${moduleFolder}go.mod does not require versitygw at a version`);
  return { version, go, folder: join(cacheRoot(process.env), "versitygw", version) };
}

async function build(version: string, result: string): Promise<void> {
  process.stderr.write(`Building versitygw ${version}: once, about 2 minutes on 2 cores\n`);
  const args = ["build", "-trimpath", "-buildvcs=false", "-o", `${result}/`];
  await runCommand("go", [...args, "github.com/versity/versitygw/cmd/versitygw"], {
    operation: `build versitygw ${version}`,
    cwd: moduleFolder,
    env: { ...process.env, GOTOOLCHAIN: "local", GOFLAGS: "-mod=readonly", GOWORK: "off", CGO_ENABLED: "0" },
  });
}
