import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { executableInPath } from "@etcd-operator/local-kubernetes/processes/executable.ts";
import type { KubeObject } from "@etcd-operator/testing/kube/rest.ts";
import type { ClusterRole, ClusterRoleBinding } from "kubernetes-types/rbac/v1.d.ts";
import { afterAll, beforeAll, describe, test } from "vitest";
import { objectOfKind, objectsOf } from "./manifest-files.ts";
import { runCreateRole } from "./run-create-role.ts";

// Files every call under a number: `<n>.args`, and `<n>.stdin` of an apply. A get answers with the file "present".
const fakeKubectl = `#!/usr/bin/env bash
number=$(ls "$CALLS" | grep -c args)
printf '%s\\n' "$@" > "$CALLS/$number.args"
case $1 in
  get) cat "$CALLS/present" 2> /dev/null || true ;;
  apply) cat > "$CALLS/$number.stdin"; exit "\${APPLY_EXIT_CODE:-0}" ;;
esac
`;

interface Call {
  readonly args: readonly string[];
  readonly stdin: string;
}

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "create role "));
  await mkdir(join(root, "bin"));
  await writeFile(join(root, "bin", "kubectl"), fakeKubectl, { mode: 0o755 });
});

afterAll(async () => {
  await rm(root, { recursive: true });
});

describe("create_role.sh", () => {
  const account = { kind: "ServiceAccount", name: "etcd-operator", namespace: "default" };

  test("makes an account, and binds it to a role of its namespace and to one for the CRDs", async () => {
    const { code, applied, stderr } = await run([]);
    assert.deepEqual([code, stderr], [0, ""]);
    const made = applied.map(({ kind, metadata }) => `${kind} ${metadata?.namespace ?? "*"}/${metadata?.name}`);
    assert.deepEqual(made, [
      "ServiceAccount default/etcd-operator",
      "Role default/etcd-operator",
      "RoleBinding default/etcd-operator",
      "ClusterRole */etcd-operator-crds",
      "ClusterRoleBinding */etcd-operator-crds-default",
    ]);
    const bindings = applied.filter(({ kind }) => kind?.endsWith("Binding")) as unknown as ClusterRoleBinding[];
    for (const { subjects } of bindings) assert.deepEqual(subjects, [account]);
    const { apiGroup } = clusterRole("");
    assert.deepEqual(
      bindings.map(({ roleRef }) => roleRef),
      [{ apiGroup, kind: "Role", name: "etcd-operator" }, clusterRole("etcd-operator-crds")],
    );
  });

  test("grants nothing beyond the namespace with --no-crds", async () => {
    const { applied } = await run(["--no-crds"]);
    assert.deepEqual(
      applied.map(({ kind }) => kind),
      ["ServiceAccount", "Role", "RoleBinding"],
    );
  });

  test("grants all namespaces with --cluster-wide only", async () => {
    const { applied, binding } = await run(["--cluster-wide"]);
    assert.deepEqual(
      applied.map(({ kind }) => kind),
      ["ServiceAccount", "ClusterRole", "ClusterRoleBinding"],
    );
    assert.deepEqual([binding?.roleRef, binding?.subjects], [clusterRole("etcd-operator"), [account]]);
  });

  test("binds another account where the operator runs as one, and makes no account 'default'", async () => {
    const { applied } = await run(["--service-account=default"]);
    assert.equal(applied[0]?.kind, "Role");
    const binding = applied.find(({ kind }) => kind === "RoleBinding") as unknown as ClusterRoleBinding;
    assert.deepEqual(binding.subjects, [{ ...account, name: "default" }]);
  });

  test("reports the rights in all namespaces that an earlier version gave, and leaves them", async () => {
    const { code, stderr, calls } = await run([], { present: "etcd-operator default/default" });
    assert.equal(code, 0);
    assert.match(
      stderr,
      /still gives ServiceAccount "default\/default".*kubectl delete clusterrolebinding etcd-operator/,
    );
    assert.ok(calls.every(({ args }) => args[0] !== "delete"));
  });

  test("takes the names of role, binding and namespace from its flags", async () => {
    const flags = ["--role-name=team:etcd_1", "--role-binding-name=etcd.b", "--namespace=0123", "--cluster-wide"];
    const { code, role, binding } = await run(flags);
    assert.equal(code, 0);
    assert.equal(role?.metadata?.name, "team:etcd_1");
    assert.equal(binding?.metadata?.name, "etcd.b");
    assert.deepEqual(binding?.roleRef, clusterRole("team:etcd_1"));
    assert.deepEqual(binding?.subjects, [{ ...account, namespace: "0123" }]);
  });

  test("takes them from the environment too, as the old script did, and a flag wins", async () => {
    const env = { ROLE_NAME: "mine", ROLE_BINDING_NAME: "mine-too", NAMESPACE: "prod" };
    const { role, binding } = await run(["--role-binding-name=flag", "--cluster-wide"], { env });
    assert.equal(role?.metadata?.name, "mine");
    assert.equal(binding?.metadata?.name, "flag");
    assert.deepEqual(binding?.subjects, [{ ...account, namespace: "prod" }]);
  });

  test("grants the rules of the template", async () => {
    const { role } = await run(["--cluster-wide"]);
    const template = objectOfKind<ClusterRole>("example/rbac/cluster-role-template.yaml", "ClusterRole");
    assert.deepEqual(role?.rules, template.rules);
  });

  test("uses apply, so that a second run brings up to date what the first made", async () => {
    const { calls } = await run([], { present: "etcd-operator default/etcd-operator" });
    assert.deepEqual(
      calls.slice(1, -1).map(({ args }) => args),
      Array.from({ length: 4 }, () => ["apply", "-f", "-"]),
    );
  });

  test("does not take a binding over from another namespace", async () => {
    const { code, stderr, calls } = await run([], { present: "etcd-operator elsewhere/etcd-operator" });
    assert.equal(code, 1);
    assert.match(stderr, /elsewhere\/etcd-operator.*--role-binding-name/);
    assert.equal(calls.length, 1);
  });

  test("works from a folder with spaces, called by a path with spaces", async () => {
    const copy = join(root, "a clone & more", "rbac");
    await cp("example/rbac", copy, { recursive: true });
    const { code, role } = await run([], { cwd: root, script: join(copy, "create_role.sh") });
    assert.equal(code, 0);
    assert.equal(role?.metadata?.name, "etcd-operator-crds");
  });

  test("fails when kubectl does, before the binding is made", async () => {
    const { code, calls } = await run([], { env: { APPLY_EXIT_CODE: "3" } });
    assert.equal(code, 3);
    assert.equal(calls.length, 2);
  });

  test.each(["-h", "--help"])("explains itself with %s and touches nothing", async (flag) => {
    const { code, stdout, calls } = await run([flag]);
    assert.equal(code, 0);
    for (const known of [
      "--role-name=",
      "--role-binding-name=",
      "--namespace=",
      "--service-account=",
      "--cluster-wide",
      "--help",
    ]) {
      assert.ok(stdout.includes(known), `no ${known} in: ${stdout}`);
    }
    assert.deepEqual(calls, []);
  });
});

describe("create_role.sh refuses and touches nothing", () => {
  test.each([
    ["an unknown flag", "--rolename=x", /unknown argument "--rolename=x"/],
    ["a word", "etcd-operator", /unknown argument "etcd-operator"/],
    ["a flag without its value", "--namespace", /--namespace needs a value/],
    ["an empty name", "--role-name=", /--role-name=/],
    ["a slash", "--role-name=a/b", /not a name/],
    ["an ampersand", "--role-binding-name=a&b", /not a name/],
    ["a quote", '--role-name=a"b', /not a name/],
    ["a newline", "--role-name=a\nb", /not a name/],
    ["a backslash", "--role-name=a\\b", /not a name/],
    ["an asterisk", "--role-name=*", /not a name/],
    ["a name that is too long", `--role-name=${"a".repeat(254)}`, /not a name/],
    ["an account in capitals", "--service-account=Mine", /not a ServiceAccount/],
    ["a namespace in capitals", "--namespace=Default", /not a namespace/],
    ["a namespace with a dot", "--namespace=a.b", /not a namespace/],
    ["a namespace that is too long", `--namespace=${"a".repeat(64)}`, /not a namespace/],
  ])("%s", async (_, argument, message) => {
    const { code, stderr, calls } = await run([argument]);
    assert.equal(code, 2);
    assert.match(stderr, message);
    assert.deepEqual(calls, []);
  });

  test("to start without kubectl", async () => {
    const { code, stderr } = await run([], { env: { PATH: await pathWithoutKubectl() } });
    assert.equal(code, 1);
    assert.match(stderr, /kubectl is not on the PATH/);
  });
});

interface Situation {
  /** What the binding that is there holds, as the script asks for it. */
  readonly present?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly script?: string;
}

async function run(args: readonly string[], { present, env, ...where }: Situation = {}) {
  const folder = await mkdtemp(join(root, "calls "));
  if (present !== undefined) await writeFile(join(folder, "present"), present);
  const PATH = `${join(root, "bin")}:${process.env.PATH}`;
  const result = await runCreateRole(args, { env: { PATH, CALLS: folder, ...env }, ...where });
  const calls = await callsIn(folder);
  const applied = calls.flatMap(({ stdin }) => (stdin === "" ? [] : objectsOf(stdin)));
  return {
    ...result,
    calls,
    applied: applied as readonly KubeObject[],
    role: applied.find(({ kind }) => kind === "ClusterRole") as ClusterRole | undefined,
    binding: applied.find(({ kind }) => kind === "ClusterRoleBinding") as ClusterRoleBinding | undefined,
  };
}

async function callsIn(folder: string): Promise<readonly Call[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".args")).sort();
  return Promise.all(
    files.map(async (name) => ({
      args: (await readFile(join(folder, name), "utf8")).trimEnd().split("\n"),
      stdin: await readFile(join(folder, name.replace(".args", ".stdin")), "utf8").catch(() => ""),
    })),
  );
}

// Only what the script needs to get as far as looking for kubectl.
async function pathWithoutKubectl(): Promise<string> {
  const folder = await mkdtemp(join(root, "bare "));
  await symlink((await executableInPath("bash")) ?? "", join(folder, "bash"));
  return folder;
}

function clusterRole(name: string) {
  return { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name };
}
