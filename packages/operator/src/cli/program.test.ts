import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, test } from "vitest";

const cluster = (spec: string) => `apiVersion: etcd.database.coreos.com/v1beta2
kind: EtcdCluster
metadata: { name: example, namespace: prod }
spec: { ${spec} }
`;

interface Said {
  readonly out: string;
  readonly err: string;
  readonly code: number | null;
}

async function run(args: readonly string[], input = ""): Promise<Said> {
  const env = { PATH: process.env.PATH, HOME: "/nowhere" };
  const child = spawn(process.execPath, ["packages/operator/src/cli/etcd-operator.ts", ...args], { env });
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { out, err, code };
}

describe.concurrent("the command line of the operator", { timeout: 60_000 }, () => {
  test("'help' lists flags, commands and exit codes, as --help does", async () => {
    const [help, flag] = await Promise.all([run(["help"]), run(["--help"])]);
    assert.deepEqual(help, flag);
    assert.equal(help.code, 0);
    for (const word of ["--listen-addr", "crds", "validate", "completion", "version", "help", "Exit codes"]) {
      assert.ok(help.out.includes(word), word);
    }
  });

  test("'help validate' documents its exit codes", async () => {
    const { out, code } = await run(["help", "validate"]);
    assert.match(out, /<paths\.\.\.>[\s\S]*Exit codes:\s+0 .*\n\s+1 .*\n\s+2 /);
    assert.equal(code, 0);
  });

  test("'version' prints the version", async () => {
    assert.deepEqual(await run(["version"]), { out: "development\n", err: "", code: 0 });
  });

  test("an unknown command names the known ones", async () => {
    const { out, err, code } = await run(["run"]);
    assert.match(
      err,
      /^etcd-operator: unknown command 'run': use one of crds, validate, completion, version, help; .*\n$/,
    );
    assert.deepEqual([out, code], ["", 2]);
  });

  test("a wrong option of a command is misuse", async () => {
    assert.equal((await run(["validate"])).code, 2);
  });

  test("an operator that cannot start reports so in one line, without a stack", async () => {
    const { out, err, code } = await run(["--kubeconfig=/nope"]);
    assert.equal(err.trimEnd().split("\n").length, 1);
    assert.match(err, /"msg":"read kubeconfig '\/nope' failed: /);
    assert.doesNotMatch(err, /stack|\bat /);
    assert.deepEqual([out, code], ["", 1]);
  });

  test("'completion bash' is a script that completes commands and flags", async () => {
    const { out } = await run(["completion", "bash"]);
    const script = `${out}\nCOMP_WORDS=(etcd-operator "$1"); COMP_CWORD=1; _etcd_operator; echo "\${COMPREPLY[*]}"`;
    const complete = async (word: string) => {
      const child = spawn("bash", ["-c", script, "bash", word]);
      return (await text(child.stdout)).trim();
    };
    assert.equal(await complete("va"), "validate");
    assert.equal(await complete("--cluster"), "--cluster-wide");
  });
});

describe("'validate'", { timeout: 60_000 }, () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "validate-"));
    await mkdir(join(folder, "below"));
    await writeFile(join(folder, "a.yaml"), `${cluster("size: 3")}---\n${cluster("size: 9, sise: 1")}`);
    await writeFile(join(folder, "below", "b.yml"), cluster("size: 5"));
    await writeFile(join(folder, "other.yaml"), "{{ a template of something else }}: [");
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("looks into folders, and leaves files of others alone", async () => {
    const { out, err, code } = await run(["validate", folder]);
    assert.equal(out, `${folder}/below/b.yml: valid\n`);
    assert.match(err, /a\.yaml: EtcdCluster "example": spec\.size: 9: .*\n.*spec\.sise: unknown field/);
    assert.doesNotMatch(err, /other/);
    assert.equal(code, 1);
  });

  test("reads standard input, and says everything as JSON", async () => {
    const { out, code } = await run(["validate", "-o", "json", "-"], cluster('size: three, version: "3.5.1"'));
    const { valid, files } = JSON.parse(out);
    assert.deepEqual([valid, code, files.length], [false, 1, 1]);
    const about = { kind: "EtcdCluster", namespace: "prod", name: "example" };
    assert.deepEqual(
      files[0].findings.map(({ message, ...finding }: { message: string }) => finding),
      [
        { ...about, field: "spec.size", value: "three" },
        { ...about, field: "spec.version", value: "3.5.1" },
      ],
    );
  });

  test("says with an exit code of its own that a path cannot be read", async () => {
    const { err, code } = await run(["validate", join(folder, "nope.yaml"), join(folder, "below")]);
    assert.match(err, /nope\.yaml: cannot be read/);
    assert.equal(code, 2);
  });
});
