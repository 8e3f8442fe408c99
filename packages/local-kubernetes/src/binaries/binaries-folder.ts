import { access, constants } from "node:fs/promises";
import { join } from "node:path";
import { runCommand, type Surroundings } from "./run-command.ts";
import { reportedVersion } from "./version.ts";

export interface BinaryPaths {
  readonly dir: string;
  readonly etcd: string;
  readonly etcdctl: string;
  /** Missing before etcd 3.5. */
  readonly etcdutl?: string;
}

/** The binaries in a folder; nothing when etcd or etcdctl is not there. */
export async function binariesIn(dir: string): Promise<BinaryPaths | undefined> {
  const [etcd, etcdctl, etcdutl] = [join(dir, "etcd"), join(dir, "etcdctl"), join(dir, "etcdutl")];
  const [hasEtcd, hasEtcdctl, hasEtcdutl] = await Promise.all([etcd, etcdctl, etcdutl].map(isExecutable));
  if (!hasEtcd || !hasEtcdctl) return undefined;
  return { dir, etcd, etcdctl, ...(hasEtcdutl && { etcdutl }) };
}

/** The version that an etcd binary says it is; nothing when it says none. */
export async function versionOf(etcd: string, { env, signal }: Surroundings): Promise<string | undefined> {
  const { stdout } = await runCommand(etcd, ["--version"], {
    operation: `ask ${etcd} for its version`,
    env: etcdEnvironment(env),
    signal,
  });
  return reportedVersion(stdout);
}

/** The environment to start etcd in: none of the caller's ETCD_ variables, for etcd would take them as its flags. */
export function etcdEnvironment(env: NodeJS.ProcessEnv, arch: string = process.arch): NodeJS.ProcessEnv {
  const rest = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("ETCD_")));
  // Before 3.5 etcd refuses every architecture but amd64 (and ppc64le), even for --version, unless told so.
  return arch === "x64" ? rest : { ...rest, ETCD_UNSUPPORTED_ARCH: arch };
}

export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
