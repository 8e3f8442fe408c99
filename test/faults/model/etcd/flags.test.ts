import { parseVersion, type Version } from "@etcd-operator/etcd-client";
import { memberAddresses } from "@etcd-operator/operator/api/cluster/cluster-names.ts";
import { etcdCommand } from "@etcd-operator/operator/cluster/objects/pod/etcd-command.ts";
import { anEtcdCluster, STATIC_TLS } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { describe, expect, test } from "vitest";
import { parseFlags } from "./flags.ts";

const NOTHING = new Map<string, string>();

function versionOf(text: string): Version {
  const version = parseVersion(text);
  if (!version) throw new TypeError(text);
  return version;
}

function commandOf(version: string, spec: object = {}): string[] {
  const cluster = anEtcdCluster({ version, ...spec });
  const start = { kind: "seed", token: "t", peers: [] } as const;
  const addresses = memberAddresses(cluster, "m");
  return etcdCommand({ spec: cluster.spec, member: "m", version: versionOf(version), addresses, start });
}

describe("the command of a member", () => {
  test.each(["3.2.32", "3.3.25", "3.4.23", "3.5.3", "3.5.16", "3.5.32", "3.6.11", "3.7.0"])(
    "as the operator makes it for %s is understood by it",
    (version) => {
      const parsed = parseFlags(commandOf(version, { TLS: STATIC_TLS }), NOTHING, versionOf(version));
      expect(parsed).toMatchObject({
        kind: "flags",
        flags: { name: "m", state: "new", token: "t", listensWithTls: true, initialCluster: [{ name: "m" }] },
      });
    },
  );

  test.each([
    ["3.5.16", "3.7.0", "experimental"],
    ["3.6.11", "3.5.16", "feature-gates"],
    ["3.5.16", "3.4.23", "compact-hash-check"],
    ["3.3.25", "3.2.32", "listen-metrics-urls"],
  ])("as it is made for %s is refused by %s", (made, version, flag) => {
    const parsed = parseFlags(commandOf(made), NOTHING, versionOf(version));
    expect(parsed).toMatchObject({ kind: "refused", why: expect.stringContaining(flag) });
  });
});

test("a setting that comes both as a flag and as a variable stops 3.4 and newer", () => {
  const variables = new Map([["ETCD_NAME", "other"]]);
  expect(parseFlags(["etcd", "--name=m"], variables, versionOf("3.3.25")).kind).toBe("flags");
  expect(parseFlags(["etcd", "--name=m"], variables, versionOf("3.4.23"))).toMatchObject({
    kind: "refused",
    why: expect.stringContaining("ETCD_NAME"),
  });
});

test.each(["--initial-cluster=nonsense", "--initial-cluster-state=maybe", "name"])("'%s' is no flag", (word) => {
  expect(parseFlags(["etcd", word], NOTHING, versionOf("3.5.16")).kind).toBe("refused");
});

test("a variable that has to be a number and is none stops it", () => {
  const variables = new Map([["ETCD_QUOTA_BACKEND_BYTES", "much"]]);
  expect(parseFlags(["etcd", "--name=m"], variables, versionOf("3.5.16"))).toMatchObject({
    kind: "refused",
    why: expect.stringContaining("ETCD_QUOTA_BACKEND_BYTES"),
  });
});
