import { execFileSync } from "node:child_process";
import { type Commit, findingsOf } from "./commit-subject.ts";

// Judges the messages of all commits after BASE: `make check-commits BASE=origin/main`.
const [base] = process.argv.slice(2);
if (!base) {
  process.stderr.write("make check-commits: name the commit to begin after, such as BASE=origin/main\n");
  process.exit(2);
}
const refused = commitsAfter(base).flatMap((commit) =>
  findingsOf(commit).map((finding) => `${commit.hash} ${commit.subject}\n  ${finding}\n`),
);
process.stderr.write(refused.join(""));
process.exitCode = refused.length > 0 ? 1 : 0;

function commitsAfter(revision: string): readonly Commit[] {
  const log = execFileSync("git", ["log", "--no-merges", "-z", "--format=%h%n%s%n%b", `${revision}..HEAD`], {
    encoding: "utf8",
  });
  return log
    .split("\0")
    .filter(Boolean)
    .map((text) => {
      const [hash = "", subject = "", ...rest] = text.split("\n");
      return { hash, subject, body: rest.join("\n") };
    });
}
