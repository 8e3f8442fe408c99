import { expect, test } from "vitest";
import { aptConfiguration } from "./apt-configuration.ts";

const lines = aptConfiguration("/work").trim().split("\n");

test("keeps every folder that apt writes to, and every list it reads, away from the system's", () => {
  const folders = lines.filter((line) => line.startsWith("Dir::")).map((line) => /"(.*)"/.exec(line)?.[1]);
  expect(folders).toHaveLength(8);
  for (const folder of folders) expect(folder).toMatch(/^\/(work\/|dev\/null$)/);
});

test("never switches the check of signatures off", () => {
  expect(lines.join("\n")).not.toMatch(/unauthenticated|insecure|trusted|weak/i);
});
