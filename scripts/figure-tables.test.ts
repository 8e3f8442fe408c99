import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { figureTable } from "./figure-tables.ts";
import { newestBySuite, type PublishedFigure } from "./published.ts";

const plain: PublishedFigure = {
  name: "start: of it",
  unit: "ms",
  value: 12.345,
  limit: 10,
  ratio: 1.2345,
  goal: 1,
  met: false,
  range: [0.1, 20],
};

describe("a table of figures", () => {
  test("marks what is missed, and has two decimals where one says too little", () => {
    assert.equal(
      figureTable({ suite: "start", date: "2026-01-01", figures: [plain] }),
      [
        "| Figure (2026-01-01) | Median | Range | Limit | Ratio | Goal | Result |",
        "|---|---|---|---|---|---|---|",
        "| start: of it | 12.35 ms | 0.10–20.0 | 10.0 | 1.23 | ≤ 1 | **missed** |\n",
      ].join("\n"),
    );
  });

  test("of clusters has write gaps and reconciles beside their operation", () => {
    const figures = ["", ": longest write gap", ": passes"].map((suffix) => ({
      ...plain,
      name: `cluster: heal${suffix}`,
    }));
    const [, , ...rows] = figureTable({ suite: "cluster", date: "2026-01-01", figures }).trim().split("\n");
    assert.deepEqual(rows, ["| heal | 12.35 ms | 10.0 | 1.23 | ≤ 1 | **missed** | **12.35** | **12.35** |"]);
  });

  test("of fleets has a column for each fleet", () => {
    const figures = ["scale: 100 clusters: memory", "scale, with TLS: 100 clusters: memory"].map((name) => ({
      ...plain,
      name,
      met: true,
    }));
    assert.equal(
      figureTable({ suite: "scale", date: "2026-01-01", figures }),
      [
        "| Figure (2026-01-01) | Goal | 100 clusters | 100 clusters with TLS |",
        "|---|---|---|---|",
        "| memory, ms | ≤ 1 | 12.35 (1.23) | 12.35 (1.23) |\n",
      ].join("\n"),
    );
  });
});

test("every published figure agrees with itself: its range, and whether its goal is met", async () => {
  const figures = [...(await newestBySuite("bench/published")).values()].flatMap((run) => run.figures);
  const agrees = ({ value, ratio, goal, met, range: [least, most] }: PublishedFigure) =>
    met === ratio <= goal && least <= value && value <= most;
  assert.ok(figures.length > 100);
  assert.deepEqual(
    figures.filter((one) => !agrees(one)),
    [],
  );
});
