import assert from "node:assert/strict";
import { test } from "vitest";
import type { Ask } from "../world/in-process-carrier.ts";
import { VirtualTime } from "../world/virtual-time.ts";
import { expiredPages, expiredWatches, refusedFor } from "./answers.ts";
import { Happening } from "./happening.ts";

const LIST = "/api/v1/pods?limit=500";
const PAGE = "/api/v1/pods?limit=500&continue=x";
const WATCH = "/api/v1/pods?watch=true";
const isOfPods = (plural: string) => plural === "pods";

test("every second watch is answered with 410, which is counted", async () => {
  const expiries = new Happening("a watch was answered with 410");
  const codes = codesBehind(expiredWatches(2, isOfPods, expiries.note));
  assert.deepEqual(await codes(WATCH, "/api/v1/services?watch=true", LIST), [200, 200, 200]);
  assert.equal(expiries.times, 0);
  assert.deepEqual(await codes(WATCH, WATCH, WATCH), [410, 200, 410]);
  assert.equal(expiries.times, 2);
});

test("every second further page is answered with 410, which is counted; a list without a limit has no pages", async () => {
  const expiries = new Happening("a further page was answered with 410");
  const codes = codesBehind(expiredPages(2, isOfPods, expiries.note));
  assert.deepEqual(await codes(LIST, "/api/v1/pods", WATCH, PAGE), [200, 200, 200, 200]);
  assert.equal(expiries.times, 0);
  assert.deepEqual(await codes(PAGE, LIST, PAGE), [410, 200, 200]);
  assert.equal(expiries.times, 1);
});

test("lists and watches are refused for a while from the first one on, which is counted", async () => {
  using time = new VirtualTime();
  const refusals = new Happening("a list or a watch was answered with 503");
  const codes = codesBehind(refusedFor(5_000, 503, refusals.note));
  assert.deepEqual(await codes("/api/v1/namespaces/tests/pods/a"), [200]);
  assert.equal(refusals.times, 0);
  assert.deepEqual(await codes(WATCH, LIST), [503, 503]);
  await time.pass(5_000);
  assert.deepEqual(await codes(WATCH, LIST), [200, 200]);
  assert.equal(refusals.times, 2);
});

function codesBehind(answers: (ask: Ask) => Ask): (...paths: readonly string[]) => Promise<number[]> {
  const body = async function* () {
    yield Buffer.from("{}");
  };
  const ask = answers(async () => ({ statusCode: 200, headers: {}, body: body() }));
  const rest = { method: "GET", headers: {}, body: undefined, signal: undefined };
  return async (...paths) => {
    const codes: number[] = [];
    for (const path of paths) codes.push((await ask({ ...rest, path })).statusCode);
    return codes;
  };
}
