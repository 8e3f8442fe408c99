import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** The folder that holds one folder per cached etcd version. */
export function etcdCacheRoot(env: NodeJS.ProcessEnv): string {
  return join(cacheRoot(env), "etcd");
}

/** The folder of everything that we download or compile; every clone of the repository shares it. */
export function cacheRoot(env: NodeJS.ProcessEnv): string {
  const { XDG_CACHE_HOME } = env;
  // The XDG specification tells programs to ignore relative paths.
  const cacheHome = XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homedir(), ".cache");
  return join(cacheHome, "etcd-operator");
}
