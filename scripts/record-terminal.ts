import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { shellBlocks } from "@etcd-operator/testing/documents/shell-blocks.ts";
import { terminalBeside } from "@etcd-operator/testing/documents/terminal.ts";
import { startLocalMode } from "@etcd-operator/testing/local/local-mode.ts";
import { type Typed, terminalPicture } from "./terminal-picture.ts";
import { typedCommands } from "./typed-commands.ts";

// Runs the commands of the README's quick start in a local mode of its own, which has another port and another state
// than that of `make run`, and draws what they print. Needs root and `make build`. Names of pods and ages differ from
// run to run, so this is not part of `make generate`; a test compares the commands in the picture with the README.
const PICTURE = "docs/pictures/quick-start.svg";

const [, commands = ""] = await shellBlocks("README.md", "Quick start");
const session = await recorded(typedCommands(commands));
await mkdir(dirname(PICTURE), { recursive: true });
await writeFile(PICTURE, terminalPicture(session));

async function recorded(all: readonly string[]): Promise<Typed[]> {
  const local = await startLocalMode({ operator: true });
  const terminal = await terminalBeside(local);
  try {
    const typed: Typed[] = [];
    for (const command of all) {
      process.stderr.write(`$ ${command}\n`);
      typed.push({ command, output: await terminal.run(command) });
    }
    return typed;
  } finally {
    await terminal.close();
    await local.dispose();
  }
}
