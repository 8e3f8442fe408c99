import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { machineAptSources } from "./machine-apt-sources.ts";

test("reads the files that apt reads, in both formats, and passes over the others", async () => {
  const aptDir = await mkdtemp(join(tmpdir(), "apt-sources-"));
  onTestFinished(() => rm(aptDir, { recursive: true }));
  const parts = join(aptDir, "sources.list.d");
  await mkdir(parts);
  await writeFile(join(aptDir, "sources.list"), "deb http://one.test/debian bookworm main\n");
  await writeFile(join(parts, "b.list"), "deb http://two.test/debian bookworm main\n");
  await writeFile(join(parts, "c.sources"), "Types: deb\nURIs: http://three.test/debian\nSuites: sid\n");
  await writeFile(join(parts, "d.list.disabled"), "deb http://four.test/debian bookworm main\n");
  const uris = (await machineAptSources(aptDir)).flatMap((source) => source.uris);
  expect(uris).toEqual(["http://one.test/debian", "http://two.test/debian", "http://three.test/debian"]);
});

test("finds nothing on a machine without apt", async () => {
  expect(await machineAptSources("/nowhere/at/all")).toEqual([]);
});
