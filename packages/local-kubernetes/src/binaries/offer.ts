import { BinariesError } from "./binaries-error.ts";
import type { GoModule } from "./go-module.ts";
import { compareVersions } from "./version.ts";

/** One way to one etcd version. An obstacle says what this machine lacks to go that way. */
export type Offer =
  | { readonly source: "ETCD_BIN_DIR" | "PATH" | "cache"; readonly version: string; readonly dir: string }
  | { readonly source: "debian"; readonly version: string; readonly suite: string; readonly obstacle?: string }
  | { readonly source: "go"; readonly version: string; readonly module: GoModule; readonly obstacle?: string };

export type OpenOffer = Offer & { readonly obstacle?: never };

/** The offer to take: the first open one, because offers come in the order of preference. */
export function chooseOffer(version: string, offers: readonly Offer[]): OpenOffer {
  const open = offers.find((offer): offer is OpenOffer => offer.version === version && isOpen(offer));
  if (open) return open;
  throw new BinariesError("unobtainable", `find etcd ${version}`, unobtainableMessage(version, offers));
}

/** The best offer for every version there is, oldest version first. */
export function bestOffers(offers: readonly Offer[]): Offer[] {
  const best = new Map<string, Offer>();
  for (const offer of [...offers.filter(isOpen), ...offers]) {
    if (!best.has(offer.version)) best.set(offer.version, offer);
  }
  return [...best.values()].sort((a, b) => compareVersions(a.version, b.version));
}

/** Where an offer's binaries come from, in words. */
export function describeSource(offer: Offer): string {
  switch (offer.source) {
    case "ETCD_BIN_DIR":
    case "PATH":
      return `found by ${offer.source}`;
    case "cache":
      return "cached";
    case "debian":
      return `Debian package of ${offer.suite}`;
    case "go":
      return "built with Go";
  }
}

export function obstacleOf(offer: Offer): string | undefined {
  return "obstacle" in offer ? offer.obstacle : undefined;
}

function isOpen(offer: Offer): boolean {
  return obstacleOf(offer) === undefined;
}

function unobtainableMessage(version: string, offers: readonly Offer[]): string {
  const obstacle = offers.find((offer) => offer.version === version && !isOpen(offer));
  const best = bestOffers(offers);
  const open = best.filter(isOpen);
  return [
    `etcd ${version} cannot be had on this machine${obstacle ? `: it ${obstacleOf(obstacle)}` : ""}.`,
    open.length > 0 ? `Can be had here: ${open.map(named).join(", ")}.` : "No version can be had here.",
    ...obstructedLines(best.filter((offer) => !isOpen(offer))),
    "For any other version, put its etcd and etcdctl in a folder and set ETCD_BIN_DIR to that folder.",
  ].join("\n");
}

function named(offer: Offer): string {
  return `${offer.version} (${describeSource(offer)})`;
}

function obstructedLines(obstructed: readonly Offer[]): string[] {
  const versionsByObstacle = new Map<string, string[]>();
  for (const offer of obstructed) {
    const obstacle = obstacleOf(offer) ?? "";
    versionsByObstacle.set(obstacle, [...(versionsByObstacle.get(obstacle) ?? []), offer.version]);
  }
  return [...versionsByObstacle].map(
    ([obstacle, versions]) => `Could be had too: ${versions.join(", ")} (${obstacle}).`,
  );
}
