import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { WorkFolders } from "./cached-folder.ts";
import { etcdPackages, etcdPrograms } from "./debian-packages.ts";
import { fetchFromDebian } from "./fetch-from-debian.ts";

// Stand-ins for apt and dpkg on the PATH; they leave a trace of how they were called in the scratch folder.
let home: string;
let work: WorkFolders;
let env: NodeJS.ProcessEnv;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "fetch-from-debian-"));
  work = { scratch: join(home, "scratch"), result: join(home, "result") };
  env = { PATH: `${home}/bin:${process.env.PATH}` };
  for (const folder of ["bin", "scratch", "result"]) await mkdir(join(home, folder));
  await program("dpkg", "echo arm64");
  await program("apt-get", 'echo "$3 $4 $5" >> ../calls; if [ "$3" = download ]; then touch etcd.deb; fi');
  await program(
    "dpkg-deb",
    'mkdir -p "$3/usr/bin" "$3/etc" && cp "$0" "$3/usr/bin/etcd" && cp "$0" "$3/usr/bin/etcdctl"',
  );
});
afterEach(() => rm(home, { recursive: true }));

const bookworm = { version: "3.4.23", suite: "bookworm", packages: etcdPackages, programs: etcdPrograms };

test("downloads the exact packages of the version and keeps the programs in them", async () => {
  await listing("etcd-server | 3.4.23-4+b4 | archive", "etcd-client | 3.4.23-4+b3 | archive");
  await fetchFromDebian(bookworm, work, { env });
  const calls = (await readFile(join(work.scratch, "calls"), "utf8")).trim().split("\n");
  expect(calls.map((call) => call.trim())).toEqual([
    "update",
    "download etcd-server=3.4.23-4+b4 etcd-client=3.4.23-4+b3",
  ]);
  expect((await readdir(work.result)).sort()).toEqual(["etcd", "etcdctl"]);
});

test("says what the suite has now when it has moved on", async () => {
  await listing("etcd-server | 3.4.31-1 | archive", "etcd-client | 3.4.31-1 | archive");
  await expect(fetchFromDebian(bookworm, work, { env })).rejects.toMatchObject({
    code: "moved-on",
    message: "Debian bookworm no longer has etcd 3.4.23; it now has 3.4.31-1",
  });
});

test("carries on when one mirror fails and another has the packages", async () => {
  await listing("etcd-server | 3.4.23-4 | archive", "etcd-client | 3.4.23-4 | archive");
  await program("apt-get", 'if [ "$3" = update ]; then exit 100; fi; touch etcd.deb');
  await fetchFromDebian(bookworm, work, { env });
  expect(await readdir(work.result)).toContain("etcd");
});

test("passes on what apt said when there is nothing", async () => {
  await listing("");
  await program("apt-get", 'echo "W: Failed to fetch the index" >&2');
  await expect(fetchFromDebian(bookworm, work, { env })).rejects.toMatchObject({
    code: "command-failed",
    operation: "find etcd-server 3.4.23 in Debian bookworm",
    message: expect.stringContaining("W: Failed to fetch the index"),
  });
});

async function listing(...lines: readonly string[]): Promise<void> {
  await program("apt-cache", lines.map((line) => `echo "${line}"`).join("\n"));
}

async function program(name: string, body: string): Promise<void> {
  await writeFile(join(home, "bin", name), `#!/bin/sh\n${body}\n`);
  await chmod(join(home, "bin", name), 0o755);
}
