/** The etcd that each Debian release ships. Releases keep their version; sid moves on. */
export const debianReleasesOfEtcd = [
  { version: "3.3.25", suite: "bullseye" },
  { version: "3.4.23", suite: "bookworm" },
  { version: "3.5.16", suite: "trixie" },
  { version: "3.5.30", suite: "sid" },
] as const;

/** The packages that hold etcd, etcdctl and (from 3.5 on) etcdutl, in every one of these releases. */
export const etcdPackages = ["etcd-server", "etcd-client"] as const;
export const etcdPrograms = ["etcd", "etcdctl", "etcdutl"] as const;

/** The full versions of a package in what `apt-cache madison` printed: `name | version | archive`. */
export function listedVersions(madison: string, packageName: string): string[] {
  return madison.split("\n").flatMap((line) => {
    const [name, version] = line.split("|").map((column) => column.trim());
    return name === packageName && version ? [version] : [];
  });
}

/** The upstream part of a Debian version: "3.3.25+dfsg-6+b6" packages 3.3.25. */
export function upstreamVersion(debianVersion: string): string {
  return debianVersion
    .replace(/^\d+:/, "")
    .replace(/-[^-]*$/, "")
    .replace(/\+.*$/, "")
    .replace("~", "-");
}
