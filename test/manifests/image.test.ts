import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { lstat, readdir, readFile, readlink, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { imageTree } from "@etcd-operator/testing/node/images/image-tree.ts";
import { titleWith } from "@etcd-operator/testing/skipped.ts";
import { afterAll, beforeAll, describe, test } from "vitest";
import { objectsOf } from "./manifest-files.ts";

const programs = ["etcd-operator", "etcd-backup-operator", "etcd-restore-operator"];
/** What pods run from the same image: before every start of a member, and where a snapshot passes through. */
const podPrograms = ["etcd-guard", "etcd-store-worker"];
const all = [...programs, ...podPrograms];
const user = 65_532;
const isRoot = process.getuid?.() === 0;

let root: string;
let version: string;

beforeAll(async () => {
  root = await imageTree();
  version = (JSON.parse(await readFile("package.json", "utf8")) as { version: string }).version;
});

afterAll(async () => {
  await rm(dirname(root), { recursive: true });
});

describe("the tree that goes into the image", () => {
  test("holds the programs, our licence, the notices of what they contain, and nothing else", async () => {
    const files = (await readdir(root, { recursive: true, withFileTypes: true })).filter(
      (entry) => !entry.isDirectory(),
    );
    const own = files.filter(({ name, parentPath }) => name !== "node" && !parentPath.endsWith("/chunks"));
    const names = own.map(({ name }) => name);
    assert.deepEqual(
      names.toSorted(),
      ["LICENSE", "THIRD-PARTY-LICENSES.txt", ...all, ...all.map((program) => `${program}.mjs`)].toSorted(),
    );
  });

  test.each(all)("has %s on the PATH, by a link that does not leave the tree", async (program) => {
    const link = join(root, "usr/local/bin", program);
    assert.ok((await lstat(link)).isSymbolicLink());
    const target = await readlink(link);
    assert.ok(!isAbsolute(target));
    assert.ok(resolve(dirname(link), target).startsWith(`${root}/opt/`));
    assert.equal((await stat(link)).mode & 0o777, 0o755);
  });
});

// Mounts are private to `unshare`. setpriv comes last, since only root may mount.
const readOnly = `mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && mount -o remount,bind,ro / &&
  ! touch "$0/written" 2> /dev/null && exec setpriv --reuid=${user} --regid=${user} --clear-groups -- "$@"`;
const privately = ["unshare", "--mount", "sh", "-c", readOnly];
const canMount = isRoot && run([...privately, tmpdir(), "true"]).code === 0;

type Way = (program: string, ...args: string[]) => ReturnType<typeof run>;

const asOtherUser: Way = (program, ...args) => run([at(program), ...args], isRoot ? { uid: user, gid: user } : {});
const onReadOnlyFiles: Way = (program, ...args) => run([...privately, root, at(program), ...args]);

describe(`in an empty environment, as ${isRoot ? `user ${user}` : "an ordinary user"},`, () =>
  programsWork(asOtherUser));

const lack = !canMount && "may not make a mount namespace here";
describe.skipIf(lack)(titleWith(`in an empty environment, as user ${user} on a read-only file system,`, lack), () =>
  programsWork(onReadOnlyFiles),
);

function programsWork(start: Way): void {
  test.each(programs)("%s tells its version", (program) => {
    const { code, stdout, stderr } = start(program, "--version");
    assert.equal(code, 0, stderr);
    assert.equal(stdout.trim(), version);
  });

  test.each(programs)("%s takes the example cluster", (program) => {
    const { code, stdout, stderr } = start(program, "validate", "-");
    assert.equal(code, 0, stderr);
    assert.match(stdout, /valid/);
  });

  test("etcd-operator prints the CRDs", () => {
    const { code, stdout, stderr } = start("etcd-operator", "crds");
    assert.equal(code, 0, stderr);
    assert.equal(objectsOf(stdout).filter(({ kind }) => kind === "CustomResourceDefinition").length, 3);
  });
}

function at(program: string): string {
  return join(root, "usr/local/bin", program);
}

// The PATH of the base image is all that a program gets, and the example its standard input.
function run([file = "", ...args]: readonly string[], identity: { uid?: number; gid?: number } = {}) {
  const env = { PATH: `${root}/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin` };
  const input = readFileSync("example/example-etcd-cluster.yaml");
  const { status, stdout, stderr } = spawnSync(file, args, { env, input, cwd: "/", encoding: "utf8", ...identity });
  return { code: status, stdout, stderr };
}
