import { readFile } from "node:fs/promises";
import { type BarChart, barChart } from "./bar-chart.ts";
import { figureTable } from "./figure-tables.ts";
import { writeOrCheck } from "./generated-files.ts";
import { newestBySuite, type PublishedFigure } from "./published.ts";

// Writes the tables of docs/performance.md and the charts in it from the newest run of each suite in bench/published.
const DOCUMENT = "docs/performance.md";
const runs = await newestBySuite("bench/published");
const figures = [...runs.values()].flatMap((run) => run.figures);

/**
 * Times of an operation on a cluster, which are measured by hand too; not its write gaps, and not what has a fixed
 * limit.
 */
function isOperation({ name, unit }: PublishedFigure): boolean {
  return name.startsWith("cluster: ") && unit === "ms" && !/write gap|silent/.test(name);
}

const seconds = (figure: PublishedFigure) => ({
  ...figure,
  value: figure.value / 1000,
  limit: figure.limit / 1000,
});

function chart(given: Omit<BarChart, "bars">, shown: readonly PublishedFigure[], prefix: RegExp): string {
  return barChart({ ...given, bars: shown.map((one) => ({ ...one, label: one.name.replace(prefix, "") })) });
}

function ofFleets(what: string): PublishedFigure[] {
  return figures
    .filter(({ name }) => name.startsWith("scale") && name.endsWith(` clusters: ${what}`))
    .map((one) => ({ ...one, name: one.name.replace(`: ${what}`, "") }));
}

const byHand = { title: "Until the cluster is ready", unit: "seconds", limits: "the same by hand" };
const memory = { title: "Memory of the idle operator", unit: "MiB", limits: "limit" };
const start = { title: "Start of the operator until every cluster is reconciled", unit: "seconds", limits: "limit" };
const files = new Map([
  ["docs/pictures/bench-cluster.svg", chart(byHand, figures.filter(isOperation).map(seconds), /^cluster: /)],
  ["docs/pictures/bench-scale-memory.svg", chart(memory, ofFleets("memory, idle"), /^scale(: |, )/)],
  [
    "docs/pictures/bench-scale-start.svg",
    chart(start, ofFleets("start to all reconciled").map(seconds), /^scale(: |, )/),
  ],
]);

const text = await readFile(DOCUMENT, "utf8");
files.set(
  DOCUMENT,
  text.replaceAll(
    /(<!-- figures: ([\w-]+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, begin: string, suite: string, end: string) => {
      const run = runs.get(suite);
      if (!run) throw new Error(`${DOCUMENT} shows the suite ${suite}, and bench/published has no run of it`);
      return `${begin}${figureTable(run)}${end}`;
    },
  ),
);
await writeOrCheck(files);
