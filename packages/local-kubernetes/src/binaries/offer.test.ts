import { describe, expect, test } from "vitest";
import { BinariesError } from "./binaries-error.ts";
import { bestOffers, chooseOffer, type Offer } from "./offer.ts";

const cached: Offer = { source: "cache", version: "3.4.23", dir: "/cache/3.4.23" };
const bookworm: Offer = { source: "debian", version: "3.4.23", suite: "bookworm" };
const trixie: Offer = { source: "debian", version: "3.5.16", suite: "trixie" };
const newest: Offer = { source: "go", version: "3.10.1", module: { version: "3.10.1", go: "1.26.0", dir: "/t" } };
const withoutGo: Offer = { ...newest, obstacle: "needs Go 1.26.0 or newer on the PATH" };

describe("chooseOffer", () => {
  test("takes the first offer of the version, so that what is at hand is not fetched again", () => {
    expect(chooseOffer("3.4.23", [trixie, cached, bookworm])).toBe(cached);
  });

  test("takes a later offer when the first has an obstacle", () => {
    const obstructed: Offer = { ...bookworm, obstacle: "needs apt-get" };
    const built: Offer = { source: "go", version: "3.4.23", module: { version: "3.4.23", go: "1.26.0", dir: "/t" } };
    expect(chooseOffer("3.4.23", [obstructed, built])).toBe(built);
  });

  test("names the version, what can be had instead, and how", () => {
    expect(
      errorOf(() => chooseOffer("3.2.13", [cached, bookworm, trixie, withoutGo])).message,
    ).toBe(`etcd 3.2.13 cannot be had on this machine.
Can be had here: 3.4.23 (cached), 3.5.16 (Debian package of trixie).
Could be had too: 3.10.1 (needs Go 1.26.0 or newer on the PATH).
For any other version, put its etcd and etcdctl in a folder and set ETCD_BIN_DIR to that folder.`);
  });

  test("says what is missing when the version itself has an obstacle", () => {
    const error = errorOf(() => chooseOffer("3.10.1", [withoutGo]));
    expect(error.code).toBe("unobtainable");
    expect(error.message).toContain(
      "etcd 3.10.1 cannot be had on this machine: it needs Go 1.26.0 or newer on the PATH.\nNo version can be had here.",
    );
  });
});

describe("bestOffers", () => {
  test("lists each version once, oldest first, open offers before obstructed ones", () => {
    const obstructed: Offer = { ...trixie, obstacle: "needs apt-get" };
    const onPath: Offer = { source: "PATH", version: "3.5.16", dir: "/usr/bin" };
    expect(bestOffers([newest, obstructed, onPath, cached, bookworm])).toEqual([cached, onPath, newest]);
  });

  test("keeps a version that has only an obstructed offer", () => {
    expect(bestOffers([withoutGo])).toEqual([withoutGo]);
  });
});

function errorOf(act: () => unknown): BinariesError {
  try {
    act();
  } catch (error) {
    if (error instanceof BinariesError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}
