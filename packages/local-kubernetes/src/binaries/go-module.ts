import { compareVersions } from "./version.ts";

/** A Go module under tools/ that builds one etcd version. */
export interface GoModule {
  readonly version: string;
  /** The oldest Go that its `go` line admits. */
  readonly go: string;
  readonly dir: string;
}

/** What a go.mod file says about the etcd it builds; nothing when it builds none. */
export function goModule(dir: string, goMod: string): GoModule | undefined {
  const version = /^\s*(?:require\s+)?go\.etcd\.io\/etcd\/server\/v3\s+v(\S+)/m.exec(goMod)?.[1];
  const go = /^go\s+(\S+)/m.exec(goMod)?.[1];
  return version && go ? { version, go, dir } : undefined;
}

/** Why this Go cannot build the module, or nothing when it can. `goVersion` is what `go env GOVERSION` prints. */
export function obstacleToBuilding(module: GoModule, goVersion: string | undefined): string | undefined {
  if (goVersion === undefined) return `needs Go ${module.go} or newer on the PATH`;
  const found = /go(\d+(?:\.\d+)*(?:(?:rc|beta)\d+)?)/.exec(goVersion)?.[1];
  // A Go whose version cannot be read may well be new enough: let it try and say so itself.
  if (found === undefined || compareVersions(withDash(found), withDash(module.go)) >= 0) return undefined;
  return `needs Go ${module.go} or newer, and the Go on the PATH is ${found}`;
}

function withDash(goVersion: string): string {
  return goVersion.replace(/(rc|beta)/, "-$1");
}
