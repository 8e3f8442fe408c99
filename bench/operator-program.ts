/**
 * What Node.js runs as the operator: the program that was built; or, with PROFILE=1, its sources, and each process of
 * it writes down where its time went as it ends. Such figures are not those of the program that was built, which starts
 * sooner.
 */
export const OPERATOR_PROGRAM: readonly string[] =
  process.env.PROFILE === "1"
    ? ["--cpu-prof", "--cpu-prof-dir=bench/results/profile", "packages/operator/src/cli/etcd-operator.ts"]
    : ["dist/etcd-operator.mjs"];
