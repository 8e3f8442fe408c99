import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { runCommand } from "./run-command.ts";

const operation = "try a command";
const { env } = process;

test("gives both outputs of a program that succeeds", async () => {
  const printed = await runCommand("sh", ["-c", "echo out; echo err >&2"], { operation, env, cwd: tmpdir() });
  expect(printed).toEqual({ stdout: "out\n", stderr: "err\n" });
});

test("quotes what a failing program said, and its exit code", async () => {
  await expect(runCommand("sh", ["-c", "echo no luck >&2; exit 3"], { operation, env })).rejects.toMatchObject({
    code: "command-failed",
    operation,
    message: expect.stringMatching(/^Could not try a command: sh -c .* failed \(3\)\nno luck$/),
  });
});

test("names a program that is not there", async () => {
  await expect(runCommand("no-such-program", [], { operation, env })).rejects.toMatchObject({
    code: "missing-tool",
    message: "Could not try a command: no-such-program is not on the PATH",
  });
});

test("ends the program when the signal fires", async () => {
  const controller = new AbortController();
  const running = runCommand("cat", [], { operation, env, signal: controller.signal });
  controller.abort();
  await expect(running).rejects.toMatchObject({ code: "aborted" });
});
