import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { operatorHelp, parseOperatorFlags } from "./operator-flags.ts";

const parse = (...args: string[]) => parseOperatorFlags("etcd-operator", args, {});

test("without flags everything is as in coreos/etcd-operator", () => {
  assert.deepEqual(parse(), {
    listenAddr: "0.0.0.0:8080",
    createCrd: true,
    clusterWide: false,
    chaosLevel: -1,
    guardImage: undefined,
    imagePullSecrets: [],
    trustedNamespaces: [],
    allowLoopbackEndpoints: false,
    namespace: undefined,
    kubeconfig: undefined,
    logLevel: "info",
    version: false,
    help: false,
  });
});

describe("a flag is read", () => {
  test.each([
    [["--cluster-wide"], { clusterWide: true }],
    [["--trusted-namespaces=a,b, c"], { trustedNamespaces: ["a", "b", "c"] }],
    [["--trusted-namespaces=*"], { trustedNamespaces: ["*"] }],
    [["--allow-loopback-endpoints"], { allowLoopbackEndpoints: true }],
    [["-cluster-wide"], { clusterWide: true }],
    [["-cluster-wide=true"], { clusterWide: true }],
    [["--cluster-wide=false"], { clusterWide: false }],
    [["-create-crd=false"], { createCrd: false }],
    [["--create-crd=0"], { createCrd: false }],
    [["--create-crd=F"], { createCrd: false }],
    [["--listen-addr=:9090"], { listenAddr: ":9090" }],
    [["-listen-addr", "[::1]:8080"], { listenAddr: "[::1]:8080" }],
    [["--chaos-level=2"], { chaosLevel: 2 }],
    [["-chaos-level", "-1"], { chaosLevel: -1 }],
    [["--guard-image=mirror/etcd-operator:v1"], { guardImage: "mirror/etcd-operator:v1" }],
    [["--image-pull-secrets=registry, mirror"], { imagePullSecrets: ["registry", "mirror"] }],
    [["--gc-interval=1h30m"], {}],
    [["-gc-interval", "10m"], {}],
    [["--namespace", "etcd"], { namespace: "etcd" }],
    [["--kubeconfig=/a=b"], { kubeconfig: "/a=b" }],
    [["--log-level=debug"], { logLevel: "debug" }],
    [["-version"], { version: true }],
    [["-h"], { help: true }],
    [["--help"], { help: true }],
    [["--cluster-wide", "--cluster-wide=false"], { clusterWide: false }],
    [
      ["-cluster-wide", "-create-crd=false", "-listen-addr=:1"],
      { clusterWide: true, createCrd: false, listenAddr: ":1" },
    ],
  ])("%j", (args, expected) => {
    assert.deepEqual(parse(...args), { ...parse(), ...expected });
  });
});

describe("what is refused, and why:", () => {
  test.each([
    [["--clusterwide"], /reading '--clusterwide' failed: unknown flag. Flags: --listen-addr, /],
    [["--toString"], /unknown flag/],
    [["--create-crd=maybe"], /'maybe' is not 'true' or 'false'/],
    [["--create-crd", "false"], /reading 'false' failed: it is not a flag/],
    [["--create-crd=constructor"], /'constructor' is not 'true' or 'false'/],
    [["--chaos-level=high"], /'high' is not a whole number/],
    [["--gc-interval=10"], /'10' is not a duration such as '10m'/],
    [["--log-level=loud"], /'loud' is not one of trace, debug, info/],
    [["--namespace"], /reading '--namespace' failed: it needs a value/],
    [["run"], /reading 'run' failed: it is not a flag/],
    [["---version"], /it is not a flag/],
    [["--"], /it is not a flag/],
  ])("%j", (args, message) => {
    assert.throws(() => parse(...args), { name: "OperatorError", code: "flag-invalid", message });
  });
});

describe("the namespace", () => {
  const env = { MY_POD_NAMESPACE: "from-env" };

  test("is the pod's when no flag names one", () => {
    assert.equal(parseOperatorFlags("etcd-operator", [], env).namespace, "from-env");
  });

  test("is the flag's when there is one", () => {
    assert.equal(parseOperatorFlags("etcd-operator", ["--namespace=flag"], env).namespace, "flag");
  });
});

describe("the image of the guard", () => {
  const env = { ETCD_OPERATOR_IMAGE: "mirror/etcd-operator:v1" };

  test("is the one in the manifest, so that a mirror serves the members too", () => {
    assert.equal(parseOperatorFlags("etcd-operator", [], env).guardImage, "mirror/etcd-operator:v1");
  });

  test("is the flag's when there is one", () => {
    assert.equal(parseOperatorFlags("etcd-operator", ["--guard-image=own:v2"], env).guardImage, "own:v2");
  });
});

describe.each(["etcd-backup-operator", "etcd-restore-operator"] as const)("%s", (program) => {
  test("takes --create-crd, and what all programs share", () => {
    const flags = parseOperatorFlags(program, ["-create-crd=false", "--cluster-wide", "--listen-addr=:1"], {});
    assert.deepEqual([flags.createCrd, flags.clusterWide, flags.listenAddr, flags.chaosLevel], [false, true, ":1", -1]);
  });

  test("has no chaos", () => {
    assert.throws(() => parseOperatorFlags(program, ["--chaos-level=1"], {}), { code: "flag-invalid" });
  });
});

test("the help lists every flag with its default", () => {
  const help = operatorHelp("etcd-operator");
  assert.match(help, /--listen-addr=0\.0\.0\.0:8080 /);
  assert.match(help, /--gc-interval=10m /);
  assert.doesNotMatch(operatorHelp("etcd-backup-operator"), /chaos/);
});
