import { mkdirSync, writeFileSync } from "node:fs";
import { table } from "./figure.ts";
import { measureStart } from "./start.ts";

// Every figure stands beside a limit measured in the same run, so that the machine's mood does not matter.
const figures = [...measureStart()];
mkdirSync("bench/results", { recursive: true });
writeFileSync("bench/results/start.json", `${JSON.stringify(figures, null, 2)}\n`);
process.stdout.write(`${table(figures)}\n`);
