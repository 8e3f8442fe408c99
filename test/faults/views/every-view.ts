import {
  behindByRevisions,
  behindByTime,
  coalescedWithin,
  cut,
  droppedFor,
  held,
  NO_BOOKMARKS,
  pagesExpire,
  refused,
  repeatedAfter,
  together,
  travel,
  type ViewKind,
  watchesExpire,
} from "./view-kinds.ts";

/** Late, by more or by less; how late matters more than which kind of object is. */
export const LATE_VIEWS: readonly ViewKind[] = [
  ...[1, 5, 25, 100].map(behindByRevisions),
  ...[500, 8_000, 20_000, 90_000].map(behindByTime),
  ...[2_000, 15_000, 60_000, 200_000].map(held),
];

/**
 * Wrong in a way that differs from kind to kind of object: what is shown of one is older than what is shown of another.
 */
export const UNEVEN_VIEWS: readonly ViewKind[] = [
  droppedFor({ what: "all", ending: "expires", forMs: 12_000 }),
  droppedFor({ what: "all", ending: "expires", forMs: 60_000 }),
  droppedFor({ what: "all", ending: "breaks", forMs: 12_000 }),
  droppedFor({ what: "all", ending: "breaks", forMs: 60_000 }),
  droppedFor({ what: "object", ending: "expires", forMs: 15_000 }),
  droppedFor({ what: "object", ending: "expires", forMs: 60_000 }),
  travel({ by: "crash", backBy: 10, forMs: 5_000 }),
  travel({ by: "crash", backBy: 40, forMs: 30_000 }),
  travel({ by: "relist", backBy: 10, forMs: 5_000 }),
  travel({ by: "relist", backBy: 40, forMs: 30_000 }),
  travel({ by: "relist", backBy: 40, forMs: 15_000, stepMs: 500 }),
];

/** Wrong in the same way about every kind of object. */
export const EVEN_VIEWS: readonly ViewKind[] = [
  ...[1_000, 5_000, 30_000].map(coalescedWithin),
  ...[0, 1, 3, 8].map(repeatedAfter),
  ...[1, 2, 5].flatMap((events) => [cut(events, "ends"), cut(events, "breaks"), cut(events, "expires")]),
  ...[1, 2, 3].map(watchesExpire),
  ...[1, 2].map(pagesExpire),
  NO_BOOKMARKS,
  refused(5_000, 503),
  refused(30_000, 429),
  travel({ by: "crash", backBy: 120, forMs: 120_000 }),
  travel({ by: "crash", backBy: 40, forMs: 15_000, stepMs: 200 }),
  together(behindByTime(4_000), repeatedAfter(1), cut(3, "breaks")),
  together(behindByRevisions(12), coalescedWithin(3_000), cut(4, "expires"), NO_BOOKMARKS),
  together(held(25_000), cut(2, "ends"), watchesExpire(2)),
  together(travel({ by: "crash", backBy: 20, forMs: 20_000 }), repeatedAfter(0), pagesExpire(2)),
];
