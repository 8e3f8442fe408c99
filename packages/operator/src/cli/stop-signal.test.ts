import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failure, json, scriptedServer } from "@etcd-operator/testing/kubernetes/scripted-server.ts";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, test } from "vitest";

let folder: string;
/** Of the program's own code: what is loaded before the first line runs. */
let bytesBefore: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "stop-signal-"));
  const { metafile } = await build({
    entryPoints: ["packages/operator/src/cli/etcd-operator.ts"],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    mainFields: ["module", "main"],
    banner: {
      js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);',
    },
    metafile: true,
  });
  const { outputs } = metafile;
  const entry = Object.values(outputs).find(
    ({ entryPoint }) => entryPoint === "packages/operator/src/cli/etcd-operator.ts",
  );
  assert.ok(entry);
  const imported = entry.imports.filter(({ kind, external }) => kind === "import-statement" && !external);
  bytesBefore = entry.bytes + imported.reduce((sum, { path }) => sum + (outputs[path]?.bytes ?? Infinity), 0);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Starts the operator's bundle against an API server. */
async function operatorFor(server: string): Promise<ChildProcess> {
  const kubeconfig = join(folder, "kubeconfig");
  const clusters = [{ name: "c", cluster: { server } }];
  const contexts = [{ name: "c", context: { cluster: "c" } }];
  await writeFile(kubeconfig, JSON.stringify({ clusters, contexts, "current-context": "c" }));
  const flags = [`--kubeconfig=${kubeconfig}`, "--listen-addr=127.0.0.1:0", "--create-crd=false", "--log-level=error"];
  return spawn(process.execPath, [join(folder, "etcd-operator.mjs"), ...flags], { stdio: "ignore" });
}

describe("SIGTERM in the first moments of the operator", () => {
  test("is heard before anything of size is loaded", () => {
    assert.ok(bytesBefore < 10_000, `${bytesBefore} bytes`);
  });

  test.each([
    ["while it waits for its CRDs", /etcdbackups$/],
    ["while it asks who holds its Lease", /\/leases\//],
  ])("%s ends it in order, and no Lease is taken after it", async (_, moment) => {
    let operator: ChildProcess | undefined;
    let isTold = false;
    const server = await scriptedServer(({ path, method }, response) => {
      const isThen = method === "GET" && moment.test(path);
      // Once: three controllers ask for their Leases, and a second signal ends the operator at once.
      if (isThen && !isTold) isTold = operator?.kill("SIGTERM") ?? false;
      // So late that the signal comes first, on a busy machine, too; an operator that heard it does not wait for the
      // answer.
      const answer = () =>
        /leases|customresource/.test(path)
          ? json(response, 404, failure(404, "NotFound"))
          : json(response, 200, { items: [], metadata: { resourceVersion: "1" } });
      setTimeout(answer, isThen ? 5_000 : 0).unref();
    });
    await using _server = server;
    operator = await operatorFor(server.connection.server);
    assert.deepEqual(await once(operator, "exit"), [0, null]);
    assert.ok(server.requests.some(({ path }) => moment.test(path)));
    const writes = server.requests.filter(({ method }) => method !== "GET").map(({ path }) => path);
    assert.deepEqual(writes, []);
  });
});
