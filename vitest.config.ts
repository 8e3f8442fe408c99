import { defineConfig } from "vitest/config";
import { LongestFirst } from "./packages/testing/src/longest-first.ts";

// What tests run is made before them, by make prepare: no test's time depends on a download or a compiler.
process.env.ETCD_OPERATOR_FETCH ??= "never";

const longScenarios = "test/scenarios/**/*.long.test.ts";
// Of tests of one file that may run at the same time, each with members of its own, so many do: there are few cores.
const shared = { testTimeout: 60_000, hookTimeout: 600_000, maxConcurrency: 3 };

// Scenarios that also run on real nodes: they need no more than the API, and a way to etcd.
const onRealNodes = ["resize.test", "pause.long.test", "deletion.test"].map(
  (name) => `test/scenarios/cluster/${name}.ts`,
);

export default defineConfig({
  test: {
    reporters: ["default", "./packages/testing/src/totals-reporter.ts"],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...shared,
          name: "unit",
          // More than cores: many of them wait for a real etcd, which has intervals of its own.
          maxWorkers: 4,
          include: [
            "packages/*/{src,conformance}/**/*.test.ts",
            "test/{architecture,admission,faults,manifests,model}/**/*.test.ts",
            "{bench,scripts}/**/*.test.ts",
          ],
        },
      },
      {
        test: {
          ...shared,
          name: "scenarios",
          include: ["test/scenarios/**/*.test.ts"],
          exclude: [longScenarios],
          // After the others. Two at a time: each has a local mode of its own, and much of its time is etcd's
          // intervals.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...shared,
          // The rest of the scenarios, which together take too long for every change.
          name: "long",
          include: [longScenarios],
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...shared,
          name: "kube",
          include: ["test/kube/**/*.test.ts"],
          globalSetup: ["test/kube/global-setup.ts"],
          fileParallelism: false,
        },
      },
      {
        test: {
          ...shared,
          name: "node",
          include: ["test/node/**/*.test.ts", ...(process.env.KUBECONFIG_NODE ? [] : onRealNodes)],
          globalSetup: ["test/node/global-setup.ts"],
          fileParallelism: false,
        },
      },
    ],
  },
});
