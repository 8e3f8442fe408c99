import type { Reporter, TestCase, TestModule, Vitest } from "vitest/node";

/** Closes the output with what was skipped and why, and with the one line that scripts read: `N passed, N failed`. */
export default class TotalsReporter implements Reporter {
  #isChoice = false;

  onInit({ config }: Vitest): void {
    this.#isChoice = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const totals = { passed: 0, failed: errors.length, skipped: 0 };
    const lacks = new Map<string, number>();
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      for (const test of tests) {
        const { state } = test.result();
        if (state !== "pending") totals[state] += 1;
        const lack = lackBehind(test, this.#isChoice);
        if (lack !== undefined) lacks.set(lack, (lacks.get(lack) ?? 0) + 1);
      }
      // A file that cannot be loaded, or whose hooks fail, has failed even when none of its tests ran.
      if (module.state() === "failed" && !tests.some((test) => test.result().state === "failed")) totals.failed += 1;
    }
    const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : "";
    const lines = [...lacks].map(([lack, count]) => `skipped ${count}: ${lack}\n`);
    lines.push(`${totals.passed} passed, ${totals.failed} failed${skipped}\n`);
    process.on("exit", () => process.stdout.write(lines.join("")));
  }
}

/** What the machine lacks for a test. Those that the command line leaves out are skipped, too, but lack nothing. */
function lackBehind(test: TestCase, isChoice: boolean): string | undefined {
  const result = test.result();
  if (result.state !== "skipped") return undefined;
  const reason = result.note ?? /[^>(]*\((?:skipped: [^)]*|needs? root)\)/.exec(test.fullName)?.[0].trim();
  return reason ?? (isChoice ? undefined : `without a reason: ${test.module.relativeModuleId} > ${test.fullName}`);
}
