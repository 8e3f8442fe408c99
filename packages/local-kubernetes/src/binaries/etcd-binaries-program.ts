import { Command } from "commander";
import { stopSignal } from "../processes/stop-signal.ts";
import { BinariesError } from "./binaries-error.ts";
import { etcdBinaries, obtainableVersions } from "./etcd-binaries.ts";
import { describeSource, obstacleOf } from "./offer.ts";

interface Flags {
  readonly printPath?: true;
  readonly list?: true;
}

const program = new Command("etcd-binaries")
  .description("Finds etcd, etcdctl and etcdutl of the versions asked for, or gets them into the user's cache folder.")
  .argument("[versions...]", "versions such as 3.5.16 or v3.5.16")
  .option("--print-path", "print the folder of each version, one per line, and nothing else")
  .option("--list", "list the versions that can be had here, and from where")
  .showHelpAfterError("(--list shows the versions that can be had here)")
  .action(run);

await program.parseAsync();

async function run(versions: readonly string[], flags: Flags): Promise<void> {
  if (versions.length === 0 && !flags.list) program.error("error: no version given");
  const signal = stopSignal();
  try {
    if (flags.list) await printOffers(signal);
    for (const version of versions) await printBinaries(version, flags, signal);
  } catch (error) {
    if (!(error instanceof BinariesError)) throw error;
    console.error(error.message);
    process.exitCode = error.code === "aborted" ? 130 : 1;
  }
}

async function printBinaries(version: string, flags: Flags, signal: AbortSignal): Promise<void> {
  const binaries = await etcdBinaries(version, { signal, log: (line) => console.error(line) });
  const names = binaries.etcdutl ? "etcd, etcdctl and etcdutl" : "etcd and etcdctl";
  console.log(
    flags.printPath ? binaries.dir : `${names} ${binaries.version} are in ${binaries.dir} (${binaries.source})`,
  );
}

async function printOffers(signal: AbortSignal): Promise<void> {
  for (const offer of await obtainableVersions({ signal })) {
    const obstacle = obstacleOf(offer);
    console.log(`${offer.version.padEnd(10)} ${describeSource(offer)}${obstacle ? `; ${obstacle}` : ""}`);
  }
}
