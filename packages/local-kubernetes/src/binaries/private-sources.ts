import type { AptSource } from "./apt-sources.ts";

const debianReleases = new Set([
  ...["buster", "bullseye", "bookworm", "trixie", "forky", "duke", "sid"],
  ...["oldoldstable", "oldstable", "stable", "testing", "unstable"],
]);

/** The machine's entries for Debian's main archive: no security archive, no third-party packages. */
export function debianArchives(sources: readonly AptSource[]): AptSource[] {
  const candidates = sources.filter(
    (source) =>
      source.types.includes("deb") &&
      source.components.includes("main") &&
      source.suites.some((suite) => debianReleases.has(suite)) &&
      !source.uris.some((uri) => uri.startsWith("cdrom:") || uri.includes("debian-security")),
  );
  // Other archives name their suites after Debian's releases too. Debian's own stands out by its keyring or its path;
  // where neither tells (a company's mirror), every candidate is asked, and signatures decide.
  const evident = candidates.filter(isEvidentlyDebian);
  return evident.length > 0 ? evident : candidates;
}

/** A deb822 sources file that offers one suite of the same archives, and nothing else. */
export function privateSources(archives: readonly AptSource[], suite: string, architecture: string): string {
  return archives
    .map((archive) =>
      [
        "Types: deb",
        `URIs: ${archive.uris.join(" ")}`,
        `Suites: ${suite}`,
        "Components: main",
        `Architectures: ${architecture}`,
        // Machines may be set up to fetch further indices, such as file lists, that are of no use here.
        "Targets: Packages",
        ...(archive.signedBy ? [`Signed-By: ${archive.signedBy}`] : []),
      ].join("\n"),
    )
    .join("\n\n")
    .concat("\n");
}

function isEvidentlyDebian(source: AptSource): boolean {
  return (
    /debian-archive[^/]*$/.test(source.signedBy ?? "") || source.uris.some((uri) => /\/debian(\.list)?\/?$/.test(uri))
  );
}
