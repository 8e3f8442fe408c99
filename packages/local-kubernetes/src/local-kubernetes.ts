import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { BinariesError } from "./binaries/binaries-error.ts";
import { addUp, localCommand, type UpFlags } from "./local-command.ts";
import { stopSignal } from "./processes/stop-signal.ts";
import { LocalModeError } from "./supervisor/local-mode-error.ts";
import { runLocalMode } from "./supervisor/run-local-mode.ts";

const program = localCommand();
addUp(program).action(up);
await program.parseAsync();

/** Nothing but a Kubernetes; `make run` brings the operator along. */
async function up({ state, port, nodes, nodeGrace }: UpFlags): Promise<void> {
  const file = fileURLToPath(import.meta.url);
  try {
    await runLocalMode(
      {
        stateDir: state,
        port,
        nodes,
        nodeGraceMs: nodeGrace * 1000,
        partCommand: (...part) => [process.execPath, file, "part", ...part],
        companions: async () => [],
        onReady: ({ config }) =>
          process.stdout.write(`ready: export KUBECONFIG=${relative(process.cwd(), config.kubeconfig)}\n`),
        log: (line) => process.stderr.write(`${line}\n`),
      },
      stopSignal(),
    );
  } catch (error) {
    if (!(error instanceof LocalModeError || error instanceof BinariesError)) throw error;
    program.error(error.message);
  }
}
