import { describe, expect, test } from "vitest";
import { Lanes } from "./lanes.ts";

/** Something that runs until it is told how to end. */
function aJob() {
  let succeed = () => {};
  let fail = (_: unknown) => {};
  const promise = new Promise<void>((resolve, reject) => {
    succeed = resolve;
    fail = reject;
  });
  return { run: () => promise, succeed: () => succeed(), fail: (error: unknown) => fail(error) };
}

describe("Lanes", () => {
  test("begin no more at once than there are", async () => {
    const lanes = new Lanes(2, () => undefined);
    const jobs = [aJob(), aJob(), aJob()];
    const begun: number[] = [];
    const adding = (async () => {
      for (const [index, job] of jobs.entries()) {
        await lanes.add(() => {
          begun.push(index);
          return job.run();
        });
      }
    })();
    await new Promise(setImmediate);
    expect(begun).toEqual([0, 1]);
    jobs[1]?.succeed();
    await adding;
    expect(begun).toEqual([0, 1, 2]);
    jobs[0]?.succeed();
    jobs[2]?.succeed();
    await lanes.idle();
    expect(lanes.failure).toBeUndefined();
  });

  test("tell of the first failure at once, and begin nothing more", async () => {
    let isTold = false;
    const lanes = new Lanes(2, () => (isTold = true));
    const [first, second] = [aJob(), aJob()];
    await lanes.add(first.run);
    await lanes.add(second.run);
    first.fail(new Error("first"));
    await new Promise(setImmediate);
    expect(isTold).toBe(true);
    await expect(lanes.add(() => Promise.reject(new Error("must not begin")))).rejects.toThrow("first");
    second.fail(new Error("second"));
    await lanes.idle();
    expect(lanes.failure?.message).toBe("first");
  });

  test("are idle only when nothing runs any more", async () => {
    const lanes = new Lanes(1, () => undefined);
    const job = aJob();
    await lanes.add(job.run);
    let isIdle = false;
    const idle = lanes.idle().then(() => (isIdle = true));
    await new Promise(setImmediate);
    expect(isIdle).toBe(false);
    job.succeed();
    await idle;
  });
});
