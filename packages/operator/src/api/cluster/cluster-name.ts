import type { Rule } from "../schema/rule.ts";

/** `<cluster>-<10 random>` names pods, claims and a label, none of which may pass 63 characters. */
const LONGEST_CLUSTER_NAME = 63 - "-".length - 10;

const FORMAT = "^[a-z]([-a-z0-9]*[a-z0-9])?$";

function isClusterName(name: string): boolean {
  return name.length <= LONGEST_CLUSTER_NAME && new RegExp(FORMAT).test(name);
}

/** The rule for a name found at `field`, which is both a CEL expression and a path. */
export function clusterNameRule<T>(field: string, nameOf: (value: T) => string, unless = "false"): Rule<T> {
  return {
    holds: (value) => isClusterName(nameOf(value)),
    cel: `${unless} || size(${field}) <= ${LONGEST_CLUSTER_NAME} && ${field}.matches(r'${FORMAT}')`,
    message:
      `name '{}' is not a valid cluster name: pods, PVCs and Services are named after it, so use at most ${LONGEST_CLUSTER_NAME} ` +
      "lower-case letters, digits and '-', beginning with a letter",
    offender: { of: nameOf, cel: field },
  };
}
