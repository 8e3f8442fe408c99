import { beforeEach } from "vitest";

/**
 * Makes the tests of a suite one story: what comes after a failure would only fail again, and slowly. `tell` reports
 * what there is then.
 */
export function oneStory(tell: () => Promise<string>): void {
  let hasFailed = false;
  beforeEach(({ skip, onTestFailed }) => {
    skip(hasFailed, "a step before failed");
    onTestFailed(async () => {
      hasFailed = true;
      process.stdout.write(await tell());
    });
  });
}
