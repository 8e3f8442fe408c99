import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "vitest";
import { exitReport, terminalCommand } from "./exec-command.ts";

test("words reach the command as they are, also quotes and dollars", () => {
  const words = ["it's", "$HOME", "a  b", '"x"'];
  const line = terminalCommand(["printf", "%s\\n", ...words], undefined)[5] ?? "";
  const said = execFileSync("sh", ["-c", line.replace("tty >&3; exec 3>&-; ", "")], { encoding: "utf8" });
  assert.deepEqual(said.trimEnd().split("\n"), words);
});

test("the terminal gets the client's size before the command sees it", () => {
  assert.match(terminalCommand(["sh"], { rows: 24, columns: 80 })[5] ?? "", /stty rows 24 cols 80; exec 'sh'$/);
});

test("an exit code is told as kubectl reads it", () => {
  assert.deepEqual(exitReport(0), { metadata: {}, status: "Success" });
  assert.deepEqual((exitReport(3) as { details: unknown }).details, { causes: [{ reason: "ExitCode", message: "3" }] });
});
