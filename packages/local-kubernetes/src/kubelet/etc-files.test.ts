import assert from "node:assert/strict";
import type { Pod, PodSpec } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import { etcFiles, hostnameOf } from "./etc-files.ts";

const dns = { dnsIp: "10.88.128.10", clusterDomain: "cluster.local" };

function aPod(spec: Partial<PodSpec> = {}): Pod {
  return { metadata: { name: "a-0", namespace: "ns" }, spec: { containers: [], ...spec } };
}

function file(name: string, spec: Partial<PodSpec> = {}): string {
  return etcFiles(aPod(spec), "10.88.0.2", dns, "nameserver 192.0.2.1\n")[name] ?? "";
}

test("a pod is called by its hostname, or by its name as far as a hostname can be long", () => {
  assert.equal(hostnameOf(aPod({ hostname: "h" })), "h");
  assert.equal(hostnameOf(aPod()), "a-0");
  assert.equal(hostnameOf({ metadata: { name: `${"x".repeat(62)}-y` } }).length, 62);
});

test("a pod finds its own names, and aliases that it asks for", () => {
  assert.match(file("hosts"), /^10\.88\.0\.2\ta-0$/m);
  const hosts = file("hosts", { subdomain: "sub", hostAliases: [{ ip: "192.0.2.9", hostnames: ["x", "y"] }] });
  assert.match(hosts, /^10\.88\.0\.2\ta-0\.sub\.ns\.svc\.cluster\.local\ta-0$/m);
  assert.match(hosts, /^192\.0\.2\.9\tx\ty$/m);
});

describe("names are looked up", () => {
  const inCluster = "nameserver 10.88.128.10\nsearch ns.svc.cluster.local svc.cluster.local cluster.local\n";
  test.each<[string, Partial<PodSpec>, string]>([
    ["in the cluster", {}, `${inCluster}options ndots:5\n`],
    ["as the machine does", { dnsPolicy: "Default" }, "nameserver 192.0.2.1\n"],
    [
      "as the pod says only",
      {
        dnsPolicy: "None",
        dnsConfig: { nameservers: ["192.0.2.2"], searches: ["test"], options: [{ name: "ndots", value: "1" }] },
      },
      "nameserver 192.0.2.2\nsearch test\noptions ndots:1\n",
    ],
    [
      "in the cluster with options of the pod's",
      { dnsConfig: { options: [{ name: "ndots", value: "2" }, { name: "edns0" }] } },
      `${inCluster}options ndots:2 edns0\n`,
    ],
  ])("%s", (_, spec, expected) => {
    assert.equal(file("resolv.conf", spec), expected);
  });
});
