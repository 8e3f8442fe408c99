import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { proseFindings, wordsOf } from "./prose-findings.ts";

// Looks for the words that docs/development/plain-words.md lists, and for lines that are too long: `make lint` runs it.
const FILES = ["*.ts", "*.md", "*.yaml", "*.yml", "*.sh", "Makefile", "Dockerfile", "bin/*", "scripts/require-node"];
const NOT_OURS = /\/generated\//;

const words = wordsOf(readFileSync("docs/development/plain-words.md", "utf8"));
const findings = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...FILES])
  .toString()
  .trim()
  .split("\n")
  .filter((path) => existsSync(path) && !NOT_OURS.test(path))
  .flatMap((path) => proseFindings(path, readFileSync(path, "utf8"), words));
process.stderr.write(findings.map((finding) => `${finding}\n`).join(""));
process.exitCode = findings.length > 0 ? 1 : 0;
