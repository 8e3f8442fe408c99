import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { bucketPercentile, bucketsBetween, bucketsIn, percentile } from "./percentiles.ts";

test("a percentile is one of the values", () => {
  const values = Array.from({ length: 200 }, (_, at) => 200 - at);
  assert.equal(percentile(values, 0.5), 100);
  assert.equal(percentile(values, 0.99), 198);
  assert.equal(percentile([7], 0.99), 7);
  assert.ok(Number.isNaN(percentile([], 0.5)));
});

describe("histograms", () => {
  const page = (one: number, two: number, three: number) => `# TYPE waits histogram
waits_bucket{le="0.1",controller="clusters"} ${one}
waits_bucket{le="0.2",controller="clusters"} ${two}
waits_bucket{le="+Inf",controller="clusters"} ${three}
waits_bucket{le="0.1",controller="backups"} 900
waits_sum{controller="clusters"} 3
`;
  const buckets = (one: number, two: number, three: number) =>
    bucketsIn(page(one, two, three), "waits", 'controller="clusters"');

  test("are read from the page, for one controller", () => {
    assert.deepEqual(
      [...buckets(1, 2, 3)],
      [
        [0.1, 1],
        [0.2, 2],
        [Number.POSITIVE_INFINITY, 3],
      ],
    );
  });

  test("what was observed before does not count", () => {
    const between = bucketsBetween(buckets(100, 100, 100), buckets(150, 200, 200));
    assert.deepEqual([...between.values()], [50, 100, 100]);
    assert.equal(bucketPercentile(between, 0.5), 0.1);
    assert.ok(Math.abs(bucketPercentile(between, 0.75) - 0.15) < 1e-9);
  });

  test("beyond the last bound no more is known than that", () => {
    assert.equal(bucketPercentile(buckets(0, 1, 10), 0.99), 0.2);
  });

  test("without observations the wait is 0", () => {
    assert.equal(bucketPercentile(bucketsBetween(buckets(1, 1, 1), buckets(1, 1, 1)), 0.5), 0);
  });
});
