import { admissionMutants } from "./known/admission.ts";
import { clockMutants } from "./known/clocks.ts";
import { dataMutants } from "./known/data.ts";
import { handMutants } from "./known/hands.ts";
import { liarMutants } from "./known/liars.ts";
import { lineageMutants } from "./known/lineages.ts";
import { membershipMutants } from "./known/membership.ts";
import { objectMutants } from "./known/objects.ts";
import { rollingMutants } from "./known/rolling.ts";
import type { Mutant } from "./mutant.ts";

/** Known bugs of operators, each put into ours and to be found. */
export const mutants: readonly Mutant[] = [
  ...membershipMutants,
  ...dataMutants,
  ...clockMutants,
  ...objectMutants,
  ...rollingMutants,
  ...lineageMutants,
  ...liarMutants,
  ...handMutants,
  ...admissionMutants,
];
