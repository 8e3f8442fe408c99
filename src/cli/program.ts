import { Command } from "commander";
import { printCrds } from "./crds.ts";
import { validateFiles } from "./validate.ts";

type ProgramName = "etcd-operator" | "etcd-backup-operator" | "etcd-restore-operator";

/** Runs one of the three programs; they share everything but the controllers that they start. */
export async function runProgram(name: ProgramName, args: readonly string[]): Promise<void> {
  // A reader such as head may leave before we have said everything; that is not our failure.
  process.stdout.once("error", () => process.exit());
  const program = new Command(name)
    .description("Runs etcd clusters on Kubernetes.")
    .version(process.env.ETCD_OPERATOR_VERSION ?? "development", "-V, --version")
    // Old manifests pass flags of the controllers; the message below says more than "unknown option".
    .allowUnknownOption()
    .allowExcessArguments()
    .showHelpAfterError("(add --help for what there is)")
    .action(() => {
      process.stderr.write(
        `${name}: the controllers are not part of this version yet. What it can do: print the CRDs (crds) and check manifests (validate).\n`,
      );
      process.exitCode = 1;
    });
  program.command("crds").description("Print the CustomResourceDefinitions as YAML.").action(printCrds);
  program
    .command("validate")
    .description("Check EtcdCluster, EtcdBackup and EtcdRestore objects in YAML or JSON files ('-' is standard input).")
    .argument("<files...>")
    .action(validateFiles);
  await program.parseAsync(args, { from: "user" });
}
