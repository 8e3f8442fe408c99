import assert from "node:assert/strict";
import { afterAll, beforeAll, describe, test } from "vitest";
import { randomOf } from "../../model/random.ts";
import { type LoadServer, startLoadServer } from "../../support/load/load-server.ts";
import { residentMib } from "../../support/load/process-usage.ts";
import { runLoad } from "../../support/load/run-load.ts";

const seed = Number(process.env.SEED ?? 1);

// What is looked at is what watches tell, and memory; how fast it goes depends on the machine, and `make bench` measures it.
describe("the API server of local mode under load", () => {
  let server: LoadServer;
  beforeAll(async () => {
    server = await startLoadServer();
  });
  afterAll(() => server?.close());

  test(`of 120,000 writes 200 watches lose, repeat and reorder nothing, and memory stays (seed ${seed})`, {
    timeout: 900_000,
  }, async () => {
    let early = Promise.resolve(0);
    const report = await runLoad({
      access: server.access,
      random: randomOf(seed),
      writesPerSecond: 2_000,
      seconds: 60,
      onQuarter: () => {
        early = residentMib(server.pids.server);
      },
    });
    const [after, afterQuarter] = [await residentMib(server.pids.server), await early];
    assert.deepEqual(report.problems.slice(0, 10), []);
    assert.equal(report.writes, 120_000);
    assert.equal(report.watches, 200);
    assert.ok(report.events > report.writes, `${report.events} events`);
    assert.ok(after < 1.3 * afterQuarter, `${after} MiB after all writes, ${afterQuarter} after a quarter of them`);
  });
});
