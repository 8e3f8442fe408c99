import { fileURLToPath } from "node:url";
import { addUp, localCommand } from "@etcd-operator/local-kubernetes";
import { InvalidArgumentError } from "commander";
import { type Flags, OPERATOR_CHOICES, type OperatorChoice, up } from "./up.ts";

const program = localCommand();
addUp(program)
  .option(
    "--operator <true|false|none>",
    "whether the operator runs beside it; none leaves out its CRDs too",
    operatorChoice,
    "true",
  )
  .action((flags: Flags) => up(fileURLToPath(import.meta.url), flags));
await program.parseAsync();

function operatorChoice(text: string): OperatorChoice {
  const choice = OPERATOR_CHOICES.find((known) => known === text);
  if (!choice) throw new InvalidArgumentError("Write true, false or none.");
  return choice;
}
