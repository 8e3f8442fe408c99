import { readdir, readFile, rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BinariesError } from "./binaries-error.ts";
import type { WorkFolders } from "./cached-folder.ts";
import { type GoModule, goModule } from "./go-module.ts";
import { runCommand, type Surroundings } from "./run-command.ts";

const packages = ["server", "etcdctl", "etcdutl"].map((name) => `go.etcd.io/etcd/${name}/v3`);

/** Builds etcd, etcdctl and etcdutl from a module under tools/, at exactly the versions its go.sum vouches for. */
export async function buildWithGo(
  module: GoModule,
  { result }: WorkFolders,
  { env, signal }: Surroundings,
): Promise<void> {
  await runCommand("go", ["build", "-trimpath", "-buildvcs=false", "-o", `${result}/`, ...packages], {
    operation: `build etcd ${module.version}`,
    cwd: module.dir,
    env: { ...env, GOTOOLCHAIN: "local", GOFLAGS: "-mod=readonly", GOWORK: "off", CGO_ENABLED: "0" },
    signal,
  });
  // Go names a program after its package.
  await rename(join(result, "server"), join(result, "etcd"));
}

/** The modules under tools/ that build etcd; none where the repository is not at hand. */
export async function goModules(toolsDir: string): Promise<GoModule[]> {
  const names = await readdir(toolsDir).catch(() => []);
  const modules = await Promise.all(
    names.map(async (name) => {
      const dir = join(toolsDir, name);
      return goModule(dir, await readFile(join(dir, "go.mod"), "utf8").catch(() => ""));
    }),
  );
  return modules.filter((module) => module !== undefined);
}

/** What `go env GOVERSION` prints; nothing where there is no working Go. */
export async function goVersion({ env, signal }: Surroundings): Promise<string | undefined> {
  try {
    // Asked outside any module: inside one that wants a newer Go the question itself would fail.
    const { stdout } = await runCommand("go", ["env", "GOVERSION"], {
      operation: "ask Go for its version",
      cwd: tmpdir(),
      env: { ...env, GOTOOLCHAIN: "local", GOFLAGS: "", GOWORK: "off" },
      signal,
    });
    return stdout.trim();
  } catch (error) {
    if (error instanceof BinariesError && error.code === "aborted") throw error;
    // A broken Go is no reason to withhold what is cached or comes from elsewhere.
    return undefined;
  }
}
