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
