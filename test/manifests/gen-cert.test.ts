import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectEtcd } from "@etcd-operator/etcd-client";
import { etcdBinaries } from "@etcd-operator/local-kubernetes";
import { executableInPath } from "@etcd-operator/local-kubernetes/processes/executable.ts";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { checkTls } from "@etcd-operator/operator/cluster/tls/check-tls.ts";
import { describeFinding } from "@etcd-operator/operator/cluster/tls/finding.ts";
import { fingerprintsOf } from "@etcd-operator/operator/cluster/tls/fingerprints.ts";
import { parseSecret, type TlsSecrets } from "@etcd-operator/operator/cluster/tls/parse-secret.ts";
import { TLS_ROLES, tlsSecretName } from "@etcd-operator/operator/cluster/tls/secret-roles.ts";
import { tlsSeen } from "@etcd-operator/operator/cluster/tls/tls-seen.ts";
import { type TlsStep, tlsStep } from "@etcd-operator/operator/cluster/tls/tls-step.rule.ts";
import { anEtcdCluster } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { MemberUnderTest } from "@etcd-operator/testing/etcd/member-under-test.ts";
import { runCommand } from "@etcd-operator/testing/process/run-command.ts";
import { startedPod } from "@etcd-operator/testing/tls/started-pod.ts";
import type { Secret } from "kubernetes-types/core/v1.d.ts";
import { afterAll, beforeAll, beforeEach, describe, test, vi } from "vitest";
import { objectOfKind, objectsOf } from "./manifest-files.ts";

const SCRIPT = "example/tls/certs/gen-cert.sh";
const example = objectOfKind<EtcdCluster>("example/tls/example-tls-cluster.yaml", "EtcdCluster");

let root: string;
let out: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "gen cert "));
});
beforeEach(async () => {
  out = await mkdtemp(join(root, "out & more "));
});
afterAll(async () => {
  await rm(root, { recursive: true });
});

describe("gen-cert.sh", () => {
  test("makes Secrets for the example cluster in which there is nothing to find", async () => {
    await succeeds();
    assert.deepEqual(findingsIn(await secretsOf(example), clusterLike(example)), []);
  });

  test("makes them for another cluster, namespace and domain", async () => {
    await succeeds("--cluster=other", "--namespace=prod", "--domain=corp.net");
    const cluster = clusterLike(example, { name: "other", namespace: "prod" }, { pod: { ClusterDomain: "corp.net" } });
    assert.deepEqual(findingsIn(await secretsOf(cluster), cluster), []);
    assert.notDeepEqual(findingsIn(await secretsOf(cluster), clusterLike(example)), []);
  });

  test("makes certificates that etcd and the operator take", async () => {
    await succeeds();
    const { etcd: binary } = await etcdBinaries("3.5.16");
    const flags = ["--client-cert-auth", "--trusted-ca-file", join(out, "server-ca.crt")];
    const own = ["--cert-file", join(out, "server.crt"), "--key-file", join(out, "server.key")];
    const member = await MemberUnderTest.create({
      binary,
      dir: out,
      name: "m",
      scheme: "https",
      flags: [...flags, ...own],
    });
    const [ca, cert, key] = await Promise.all(
      ["-ca.crt", ".crt", ".key"].map(async (end) => read(`etcd-client${end}`)),
    );
    const tls = { ca: ca ?? "", cert: cert ?? "", key: key ?? "" };
    const serverName = "example-0123456789.example.default.svc";
    const client = connectEtcd({ address: member.address, tls, serverName });
    member.start();
    try {
      await vi.waitFor(() => client.put({ key: "k", value: "v" }), { timeout: 30_000 });
    } finally {
      client.close();
      await member.stop();
    }
  });

  test("called again, makes new certificates from the same authority: no member has to be restarted", async () => {
    await succeeds();
    const before = await secretsOf(example);
    await succeeds();
    const after = await secretsOf(example);
    assert.notEqual(fingerprintsOf(after).peer?.leaf, fingerprintsOf(before).peer?.leaf);
    assert.equal(stepFrom(before, after).kind, "settled");
  });

  test("changes the authority in three steps, none of which is refused", async () => {
    await succeeds();
    const kinds: TlsStep["kind"][] = [];
    for (const step of ["trust-both", "certificates", "drop-old"]) {
      const before = await secretsOf(example);
      await succeeds(step);
      const after = await secretsOf(example);
      assert.deepEqual(findingsIn(after, clusterLike(example)), []);
      kinds.push(stepFrom(before, after).kind);
    }
    assert.deepEqual(kinds, ["restart", "settled", "restart"]);
  });

  test("refuses steps out of order, and leaves the files as they are", async () => {
    assert.match(await failsWith(1, "trust-both"), /run it without a step first/);
    await succeeds();
    assert.match(await failsWith(1, "drop-old"), /only one authority/);
    await succeeds("trust-both");
    const before = await read("secrets.yaml");
    assert.match(await failsWith(1, "trust-both"), /two authorities are trusted already/);
    assert.match(await failsWith(1, "drop-old"), /peer.crt is from the old authority: run the step certificates first/);
    assert.equal(await read("secrets.yaml"), before);
  });

  test("makes files that no other user can read", async () => {
    await succeeds();
    for (const file of ["ca.key", "peer.key", "secrets.yaml"]) {
      assert.equal((await stat(join(out, file))).mode & 0o077, 0, file);
    }
  });

  test.each([
    ["an unknown step", "rotate", /unknown argument "rotate"/],
    ["a flag without its value", "--cluster", /--cluster needs a value/],
    ["an empty name", "--cluster=", /not a name/],
    ["a name that YAML would misread", "--namespace=a: b", /not a name/],
    ["a name that openssl would misread", "--cluster=a,DNS:b", /not a name/],
    ["a domain with a comma", "--domain=a,b", /not a domain/],
    ["no days", "--days=0", /not a number of days/],
  ])("refuses %s", async (_, argument, message) => {
    assert.match(await failsWith(2, argument), message);
  });

  test.each(["-h", "--help"])("explains itself with %s", async (flag) => {
    const { code, stdout } = await run(flag);
    assert.equal(code, 0);
    for (const word of ["trust-both", "drop-old", "--cluster=", "--out="]) assert.ok(stdout.includes(word), word);
  });

  test("says that it needs openssl", async () => {
    const bare = await mkdtemp(join(root, "bare "));
    for (const name of ["bash", "dirname"]) await symlink((await executableInPath(name)) ?? "", join(bare, name));
    const { code, stderr } = await runCommand(SCRIPT, [`--out=${out}`], { env: { PATH: bare } });
    assert.equal(code, 1);
    assert.match(stderr, /openssl is not on the PATH/);
  });
});

async function run(...args: readonly string[]) {
  return runCommand(SCRIPT, [...args, `--out=${out}`]);
}

async function succeeds(...args: readonly string[]): Promise<void> {
  const { code, stderr } = await run(...args);
  assert.equal(code, 0, stderr);
}

async function failsWith(expected: number, ...args: readonly string[]): Promise<string> {
  const { code, stderr } = await run(...args);
  assert.equal(code, expected, stderr);
  return stderr;
}

async function read(file: string): Promise<string> {
  return readFile(join(out, file), "utf8");
}

/** The Secrets in secrets.yaml, under the names that the spec has for them, as the operator would read them. */
async function secretsOf({ metadata, spec }: EtcdCluster): Promise<TlsSecrets> {
  const made = objectsOf(await read("secrets.yaml")) as readonly Secret[];
  const found = TLS_ROLES.map((role) => {
    const name = tlsSecretName({ metadata, spec } as EtcdCluster, role) ?? "";
    const secret = made.find((each) => each.metadata?.name === name);
    assert.equal(secret?.metadata?.namespace, metadata.namespace ?? "default");
    return [role, parseSecret(role, name, secret?.data ?? {})];
  });
  return Object.fromEntries(found);
}

function clusterLike({ metadata, spec }: EtcdCluster, named: object = {}, change: object = {}): EtcdCluster {
  return anEtcdCluster({ ...spec, ...change }, { name: metadata.name, namespace: "default", ...named });
}

function findingsIn(secrets: TlsSecrets, cluster: EtcdCluster): readonly string[] {
  return checkTls({ cluster, secrets, nowMs: Date.now(), members: [] }).map(describeFinding);
}

/** What has to happen when members that were started with some Secrets find others. */
function stepFrom(before: TlsSecrets, after: TlsSecrets): TlsStep {
  const cluster = clusterLike(example);
  const pods = ["a", "b", "c"].map((name) => startedPod(name, before));
  return tlsStep({ cluster, tls: { ...tlsSeen(cluster, after, [], Date.now()), defects: [] }, pods });
}
