import assert from "node:assert/strict";
import { test } from "vitest";
import { barChart } from "./bar-chart.ts";

test("a chart has a bar for each value and each limit, on one scale, and colours what is missed", () => {
  const bars = [
    { label: "a < b", value: 10, limit: 5, met: false },
    { label: "c", value: 2.5, limit: 5, met: true },
  ];
  const chart = barChart({ title: "Times", unit: "seconds", limits: "by hand", bars });
  const drawn = [...chart.matchAll(/<rect class="(\w+)" x="430" [^>]*width="([\d.]+)"/g)].map(([, kind, width]) => [
    kind,
    width,
  ]);
  assert.deepEqual(drawn, [
    ["missed", "360.0"],
    ["limit", "180.0"],
    ["met", "90.0"],
    ["limit", "180.0"],
  ]);
  assert.match(chart, />a &lt; b<.*\n.*\n.*\n.*>10\.0 \/ 5\.0</);
});
