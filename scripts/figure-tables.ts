import type { Published, PublishedFigure } from "./published.ts";

/** What a suite found and when, as a table in Markdown. */
export function figureTable(run: Published): string {
  const [head = [], ...rows] = tableOf(run);
  return markdown([`Figure (${run.date})`, ...head], rows);
}

type Row = readonly string[];

function tableOf({ suite, figures }: Published): Row[] {
  if (suite === "cluster") return clusterTable(figures);
  if (suite === "scale") return scaleTable(figures);
  return plainTable(figures);
}

function plainTable(figures: readonly PublishedFigure[]): Row[] {
  return [
    ["Median", "Range", "Limit", "Ratio", "Goal", "Result"],
    ...figures.map((one) => [
      one.name,
      withUnit(one),
      one.range.map(shown).join("–"),
      shown(one.limit),
      ...judged(one),
    ]),
  ];
}

const GAP = "longest write gap";
const PASSES = "passes";

/** What was measured along with an operation, in columns of its own. */
function clusterTable(figures: readonly PublishedFigure[]): Row[] {
  const byName = new Map(figures.map((one) => [one.name, one]));
  const along = ({ name }: PublishedFigure, what: string) => marked(byName.get(`${name}: ${what}`));
  const operations = figures.filter(({ name }) => !name.endsWith(`: ${GAP}`) && !name.endsWith(`: ${PASSES}`));
  return [
    ["Median", "Limit", "Ratio", "Goal", "Result", "Write gap, ms", "Reconciles"],
    ...operations.map((one) => [
      one.name.replace("cluster: ", ""),
      withUnit(one),
      shown(one.limit),
      ...judged(one),
      along(one, GAP),
      along(one, PASSES),
    ]),
  ];
}

/** A row for each figure, a column for each fleet; how they grow from fleet to fleet follows from these. */
function scaleTable(figures: readonly PublishedFigure[]): Row[] {
  const cells = figures.map(cellOf).filter(({ fleet }) => !fleet.startsWith("growth"));
  const fleets = [...new Set(cells.map(({ fleet }) => fleet))];
  const rows = [...new Set(cells.map(({ what }) => what))].map((what) => {
    const row = cells.filter((cell) => cell.what === what);
    const ofFleets = fleets.map((fleet) => withRatio(row.find((cell) => cell.fleet === fleet)?.figure));
    return [what, `≤ ${row[0]?.figure.goal}`, ...ofFleets];
  });
  return [["Goal", ...fleets], ...rows];
}

function cellOf(figure: PublishedFigure) {
  const [, variant, fleet, name] = /^scale(?:, (.*?))?: ([^:]+): (.*)$/.exec(figure.name) ?? [];
  const joined = (words: readonly (string | undefined)[], by: string) => words.filter(Boolean).join(by);
  return { fleet: joined([fleet, variant], " "), what: joined([name, figure.unit], ", "), figure };
}

function withUnit({ value, unit }: PublishedFigure): string {
  return `${shown(value)} ${unit}`.trim();
}

function judged({ ratio, goal, met }: PublishedFigure): Row {
  return [ratio.toFixed(2), `≤ ${goal}`, met ? "met" : "**missed**"];
}

function marked(figure: PublishedFigure | undefined): string {
  return figure ? emphasized(shown(figure.value), figure) : "";
}

function withRatio(figure: PublishedFigure | undefined): string {
  if (!figure) return "";
  const text = figure.value === 0 ? "0" : `${shown(figure.value)} (${figure.ratio.toFixed(2)})`;
  return emphasized(text, figure);
}

function emphasized(text: string, { met }: PublishedFigure): string {
  return met ? text : `**${text}**`;
}

/** One decimal, or two where they are there. */
function shown(value: number): string {
  const rounded = Math.round(value * 100) / 100;
  return rounded.toFixed(Math.abs(rounded) < 1 || !Number.isInteger(rounded * 10) ? 2 : 1).replace(/^0\.00$/, "0");
}

function markdown(head: Row, rows: readonly Row[]): string {
  const line = (row: Row) => `| ${row.join(" | ")} |`;
  return `${[line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n")}\n`;
}
