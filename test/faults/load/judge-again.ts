import { judged } from "./checks/judged.ts";
import { keptHistory } from "./history/history-file.ts";

// Judges histories that runs kept: node_modules/.bin/node test/faults/load/judge-again.ts
// test/faults/results/load-*.jsonl
for (const file of process.argv.slice(2)) {
  const broken = judged(await keptHistory(file));
  console.log([`${file}: ${broken.length === 0 ? "nothing is broken" : "broken"}`, ...broken].join("\n"));
  if (broken.length > 0) process.exitCode = 1;
}
