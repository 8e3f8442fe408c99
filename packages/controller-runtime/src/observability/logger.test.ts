import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { createLogger, type LoggerOptions } from "./logger.ts";

function aLogger(options: LoggerOptions = {}) {
  const lines: string[] = [];
  const logger = createLogger({ ...options, write: (line) => lines.push(line) });
  return { logger, lines, last: () => JSON.parse(lines.at(-1) ?? "") as Record<string, unknown> };
}

describe("a log line", () => {
  test("is one JSON object with level, time, message and the fields of its child", () => {
    const { logger, last } = aLogger();
    logger.child({ controller: "clusters" }).child({ cluster: "default/example" }).info({ size: 3 }, "scaling up");
    const { time, ...rest } = last();
    assert.deepEqual(rest, {
      level: "info",
      controller: "clusters",
      cluster: "default/example",
      size: 3,
      msg: "scaling up",
    });
    assert.ok(!Number.isNaN(Date.parse(String(time))));
  });

  test("below the level is not written", () => {
    const { logger, lines } = aLogger({ level: "warn" });
    logger.info("nothing special");
    logger.warn("look at this");
    assert.equal(lines.length, 1);
  });

  test("for a person is short", () => {
    const { logger, lines } = aLogger({ format: "text" });
    logger.warn({ cluster: "default/a", err: new Error("no route"), why: "two words" }, "could not reach");
    assert.match(
      lines[0] ?? "",
      /^\d\d:\d\d:\d\d WARN {2}could not reach – no route cluster=default\/a why="two words"\n$/,
    );
  });

  test("with an error says its name, code, message, stack and cause", () => {
    const { logger, last } = aLogger();
    const err = Object.assign(new Error("outer", { cause: new Error("inner") }), {
      code: "conflict",
      request: { a: 1 },
    });
    logger.error({ err }, "failed");
    const { stack, ...fields } = last().err as Record<string, unknown>;
    assert.deepEqual(fields, { name: "Error", code: "conflict", message: "outer", cause: "inner" });
    assert.match(String(stack), /logger\.test\.ts/);
  });
});

describe("secrets", () => {
  test("in fields are replaced, on their own and inside objects", () => {
    const { logger, lines } = aLogger();
    logger.info({ token: "s3cret", options: { password: "s3cret", user: { key: "s3cret" } } }, "connecting");
    logger.info({ secret: { kind: "Secret", data: { "tls.key": "s3cret" } } }, "read");
    logger.info({ object: { kind: "Secret", data: { "tls.key": "s3cret" } } }, "read");
    logger.info({ user: { "client-key-data": "s3cret" }, "client-key-data": "s3cret" }, "kubeconfig");
    assert.ok(!lines.join().includes("s3cret"), lines.join());
  });

  test("in the messages of errors are replaced", () => {
    const { logger, lines } = aLogger();
    const cause = new Error("authorization: Bearer s3cret.s3cret");
    const key = "-----BEGIN EC PRIVATE KEY-----\ns3cret\n-----END EC PRIVATE KEY-----";
    logger.warn({ err: new Error(`proxy http://me:s3cret@proxy:3128 refused, key ${key}`, { cause }) }, "failed");
    assert.ok(!lines.join().includes("s3cret"), lines.join());
    assert.match(lines.join(), /http:\/\/me:\[redacted\]@proxy:3128/);
  });
});

describe("while the API server does not answer", () => {
  const away = () => Object.assign(new Error("connect ECONNREFUSED"), { name: "KubernetesError", code: "unavailable" });

  test("one line a minute says so, for all callers, and how many were left out", () => {
    let nowMs = 0;
    const { logger, lines, last } = aLogger({ nowMs: () => nowMs });
    const [leases, watches] = [logger.child({ controller: "clusters" }), logger.child({ controller: "backups" })];
    for (; nowMs < 60_000; nowMs += 1_000) {
      leases.warn({ err: away() }, "could not reach the Lease");
      watches.warn({ err: away(), resource: "pods" }, "watch failed");
    }
    assert.equal(lines.length, 1);
    assert.match(String(last().msg), /the API server does not answer: retrying.* \(could not reach the Lease\)/);
    watches.warn({ err: away(), resource: "pods" }, "watch failed");
    assert.deepEqual([lines.length, last().leftOut, last().resource], [2, 119, "pods"]);
  });

  test("those who debug see every line, and nothing else is left out", () => {
    const { logger, lines } = aLogger({ level: "debug" });
    for (let times = 0; times < 3; times += 1) logger.warn({ err: away() }, "watch failed");
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as { level: string }).level),
      ["warn", "debug", "debug"],
    );
    const quiet = aLogger();
    for (const err of [
      new Error("a bug"),
      Object.assign(away(), { status: 503 }),
      Object.assign(away(), { code: "conflict" }),
    ]) {
      quiet.logger.warn({ err }, "pass failed");
      quiet.logger.warn({ err }, "pass failed");
    }
    quiet.logger.info({ err: away() }, "by the way");
    quiet.logger.warn("without an error");
    assert.equal(quiet.lines.length, 8);
  });
});
