import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { formatLogLine, type LogLine, parseLogLine, selectLogLines, shownLogLine } from "./log-line.ts";

const line = (second: number): LogLine => ({
  time: `2026-01-01T00:00:0${second}.000000000Z`,
  stream: "stdout",
  text: `line ${second}`,
});

test("a line survives being written and read", () => {
  const written = formatLogLine({ ...line(1), stream: "stderr", text: "a  b F c" });
  assert.equal(written, "2026-01-01T00:00:01.000000000Z stderr F a  b F c\n");
  assert.deepEqual(parseLogLine(written.trimEnd()), { ...line(1), stream: "stderr", text: "a  b F c" });
  assert.equal(parseLogLine("half a li"), undefined);
});

describe("selectLogLines", () => {
  const lines = [1, 2, 3, 4].map(line);
  test.each([
    [{}, [1, 2, 3, 4]],
    [{ tailLines: 2 }, [3, 4]],
    [{ tailLines: 0 }, []],
    [{ tailLines: 9 }, [1, 2, 3, 4]],
    [{ since: Date.parse("2026-01-01T00:00:03Z") }, [3, 4]],
    [{ since: Date.parse("2026-01-01T00:00:02Z"), tailLines: 1 }, [4]],
  ])("%j gives lines %j", (selection, expected) => {
    assert.deepEqual(selectLogLines(lines, selection), expected.map(line));
  });
});

test("the time is shown only to those who ask", () => {
  assert.equal(shownLogLine(line(1), {}), "line 1\n");
  assert.equal(shownLogLine(line(1), { timestamps: true }), "2026-01-01T00:00:01.000000000Z line 1\n");
});
