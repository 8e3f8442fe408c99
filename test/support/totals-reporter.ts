import type { Reporter, TestModule } from "vitest/node";

/** Closes the output with the one line that scripts read: `N passed, N failed`. */
export default class TotalsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const totals = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      for (const test of tests) {
        const { state } = test.result();
        if (state !== "pending") totals[state] += 1;
      }
      // A file that cannot be loaded, or whose hooks fail, has failed even when none of its tests ran.
      if (module.state() === "failed" && !tests.some((test) => test.result().state === "failed")) totals.failed += 1;
    }
    const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : "";
    process.on("exit", () => process.stdout.write(`${totals.passed} passed, ${totals.failed} failed${skipped}\n`));
  }
}
