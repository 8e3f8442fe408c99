import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Short files whose tests take half a minute of processor time and more. */
export const LONG: readonly string[] = [
  "test/faults/quick.test.ts",
  "test/model/exhaustive-claims.test.ts",
  "test/model/exhaustive-no-claims.test.ts",
  "packages/local-kubernetes/src/apiserver/conformance.test.ts",
];

/**
 * Begins with the tests that compute longest, so that they run beside those that wait. In a new clone vitest knows no
 * durations and begins with the largest files, which would leave these for the end.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.includes(relative(this.ctx.config.root, moduleId));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
