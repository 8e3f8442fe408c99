import { registerHooks } from "node:module";
import { mutants } from "./mutants.ts";
import { loadPatched } from "./source-hooks.ts";

// Imported before all else by a process that is to run a mutant: from here on the operator's modules are loaded with
// its patches.

const name = process.env.FAULTS_MUTANT;
const mutant = mutants.find((each) => each.name === name);
if (!mutant) throw new Error(`there is no mutant ${name}`);
registerHooks({ load: loadPatched(mutant.patches) });
