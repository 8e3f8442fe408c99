import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorOf } from "@etcd-operator/testing/kubernetes/error-of.ts";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { afterEach, beforeEach, describe, test } from "vitest";
import { loadConnection } from "./connection.ts";
import { inClusterConnection } from "./in-cluster.ts";
import { connectionFromKubeconfig } from "./kubeconfig.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubeconfig-"));
});
afterEach(() => rm(folder, { recursive: true }));

const write = async (name: string, text: string) => {
  await writeFile(join(folder, name), text);
  return join(folder, name);
};
const base64 = (text: string) => Buffer.from(text).toString("base64");

const kubeconfig = (user: object, cluster: object = {}, name = "it") =>
  write(
    `${name}.yaml`,
    JSON.stringify({
      "current-context": name,
      contexts: [{ name, context: { cluster: name, user: name, namespace: "mine" } }],
      clusters: [{ name, cluster: { server: `https://${name}:6443`, ...cluster } }],
      users: [{ name, user }],
    }),
  );

const credentialOf = async (user: object) =>
  (await connectionFromKubeconfig(await kubeconfig(user))).credentials.current();

describe("a kubeconfig", () => {
  test("says where the server is and how to trust it", async () => {
    const cluster = {
      "certificate-authority-data": base64("the ca"),
      "tls-server-name": "kubernetes",
      "insecure-skip-tls-verify": true,
      "proxy-url": "http://proxy:3128",
    };
    const { credentials: _, ...connection } = await connectionFromKubeconfig(await kubeconfig({}, cluster));
    assert.deepEqual(connection, {
      server: "https://it:6443",
      ca: "the ca",
      insecureSkipTlsVerify: true,
      serverName: "kubernetes",
      proxyUrl: "http://proxy:3128",
      namespace: "mine",
    });
  });

  test("gives a token, a certificate or a password, inside or in files beside it", async () => {
    await write("tls.crt", "cert in file");
    await write("tls.key", "key in file");
    await write("token", "token in file\n");
    assert.deepEqual(await credentialOf({}), {});
    assert.deepEqual(await credentialOf({ token: "t" }), { authorization: "Bearer t" });
    assert.deepEqual(await credentialOf({ token: "t", tokenFile: "token" }), { authorization: "Bearer token in file" });
    assert.deepEqual(await credentialOf({ username: "u", password: "p" }), { authorization: `Basic ${base64("u:p")}` });
    assert.deepEqual(await credentialOf({ "client-certificate": "tls.crt", "client-key": "tls.key" }), {
      cert: "cert in file",
      key: "key in file",
    });
    assert.deepEqual(
      await credentialOf({ "client-certificate-data": base64("c"), "client-key-data": base64("k"), token: "t" }),
      { authorization: "Bearer t", cert: "c", key: "k" },
    );
  });

  test("of several, the first that names something wins", async () => {
    const [a, b] = [await kubeconfig({ token: "a" }, {}, "a"), await kubeconfig({ token: "b" }, {}, "b")];
    assert.equal((await loadConnection({ env: { KUBECONFIG: `${a}:${b}` } })).server, "https://a:6443");
    assert.equal((await connectionFromKubeconfig([a, b], "b")).server, "https://b:6443");
  });

  test("that is wrong is refused with what is wrong about it", async () => {
    const message = async (call: Promise<unknown>) => (await errorOf(call)).message;
    assert.match(await message(connectionFromKubeconfig(await kubeconfig({}), "other")), /no context 'other'/);
    assert.match(await message(connectionFromKubeconfig(join(folder, "absent"))), /ENOENT/);
    assert.match(await message(connectionFromKubeconfig(await write("empty", ""))), /no current-context/);
    const provider = await kubeconfig({ "auth-provider": { name: "gcp" } });
    assert.match(await message(connectionFromKubeconfig(provider)), /'gcp' is not supported: use an exec plugin/);
    assert.match(await message(loadConnection({ env: { HOME: folder } })), /pass --kubeconfig/);
  });
});

describe("a credential plugin", () => {
  const apiVersion = "client.authentication.k8s.io/v1";
  const script = async (body: string) => chmod(await write("plugin", `#!/bin/sh\n${body}\n`), 0o755);
  const answer = (status: object) => `echo '${JSON.stringify({ apiVersion, kind: "ExecCredential", status })}'`;
  const exec = { apiVersion, command: "./plugin", args: ["get"], env: [{ name: "WHO", value: "me" }] };

  test("is run from the kubeconfig's folder, with its arguments and environment", async () => {
    await script('echo "$1 $WHO $KUBERNETES_EXEC_INFO" > "$(dirname "$0")/seen"; '.concat(answer({ token: "t" })));
    assert.deepEqual(await credentialOf({ exec: { ...exec, provideClusterInfo: true } }), {
      authorization: "Bearer t",
    });
    const { readFile } = await import("node:fs/promises");
    const seen = await readFile(join(folder, "seen"), "utf8");
    const info = {
      apiVersion,
      kind: "ExecCredential",
      spec: { interactive: false, cluster: { server: "https://it:6443" } },
    };
    assert.equal(seen, `get me ${JSON.stringify(info)}\n`);
  });

  test("may give a client certificate", async () => {
    await script(answer({ clientCertificateData: "pem", clientKeyData: "key" }));
    assert.deepEqual(await credentialOf({ exec }), { cert: "pem", key: "key" });
  });

  test("is asked again when its credential has expired or was refused, and not before", async () => {
    const clock = new FakeClock();
    const expirationTimestamp = new Date(clock.now() + 60_000).toISOString();
    await script(`echo x >> "$(dirname "$0")/runs"; n=$(wc -l < "$(dirname "$0")/runs");
      echo '{"apiVersion":"${apiVersion}","status":{"expirationTimestamp":"${expirationTimestamp}","token":"'$n'"}}'`);
    const { credentials } = await connectionFromKubeconfig(await kubeconfig({ exec }), undefined, clock);
    const token = async () => (await credentials.current()).authorization;
    assert.deepEqual(await Promise.all([token(), token()]), ["Bearer 1", "Bearer 1"]);
    credentials.forget();
    assert.equal(await token(), "Bearer 2");
    await clock.advance(60_000);
    assert.equal(await token(), "Bearer 3");
  });

  test("that fails says how, and what its installer hints at; the next request asks again", async () => {
    await script("echo not logged in >&2; exit 1");
    const { credentials } = await connectionFromKubeconfig(
      await kubeconfig({ exec: { ...exec, installHint: "Log in first." } }),
    );
    const error = await errorOf(credentials.current());
    assert.equal(error.code, "unauthorized");
    assert.match(error.message, /not logged in[\s\S]*Log in first/);
    await script(answer({ token: "t" }));
    assert.deepEqual(await credentials.current(), { authorization: "Bearer t" });
  });

  test.each([
    [{ ...exec, apiVersion: "client.authentication.k8s.io/v1alpha1" }, /v1alpha1' is not supported/],
    [{ ...exec, interactiveMode: "Always" }, /requires a terminal/],
    [{ ...exec, apiVersion: "client.authentication.k8s.io/v1beta1" }, /it answered in/],
    [exec, /neither a token nor/],
  ])("that we cannot use is refused: %j", async (plugin, reason) => {
    await script(answer({}));
    assert.match((await errorOf(credentialOf({ exec: plugin }))).message, reason);
  });
});

test("in a pod, the token is read again every minute", async () => {
  for (const name of ["ca.crt", "namespace", "token"]) await write(name, `${name} 1\n`);
  const clock = new FakeClock();
  const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };
  const { credentials, ...connection } = await inClusterConnection(env, folder, clock);
  assert.deepEqual(connection, { server: "https://[fd00::1]:443", ca: "ca.crt 1", namespace: "namespace 1" });
  assert.equal((await credentials.current()).authorization, "Bearer token 1");
  await write("token", "token 2\n");
  assert.equal((await credentials.current()).authorization, "Bearer token 1");
  await clock.advance(60_000);
  assert.equal((await credentials.current()).authorization, "Bearer token 2");
});
