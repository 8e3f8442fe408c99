import assert from "node:assert/strict";
import { anEndpoint, aService, aSlice } from "@etcd-operator/testing/local/services.ts";
import type { Question } from "dns-packet";
import { describe, test } from "vitest";
import { ServiceDirectory } from "../service-directory.ts";
import { answer } from "./answer.ts";

const names = new ServiceDirectory();
names.setService(aService("web"));
names.setSlice(aSlice("web", [anEndpoint("10.240.0.2"), anEndpoint("10.240.0.3")]));
names.setService(aService("peers", { clusterIP: "None" }));
names.setSlice(
  aSlice("peers", [anEndpoint("10.240.0.2", { hostname: "a" }), anEndpoint("10.240.0.3", { hostname: "B" })]),
);
names.setService(aService("lonely", { clusterIP: "None" }));

const domain = ".svc.cluster.local";

function ask(name: string, type: Question["type"] = "A"): [string, ...unknown[]] {
  const { code, answers } = answer({ name, type }, names, "cluster.local");
  return [code, ...answers.map((record) => ("data" in record ? record.data : undefined))];
}

describe("an address is asked for", () => {
  test.each<[string, unknown[]]>([
    [`web.ns${domain}`, ["NOERROR", "10.240.128.5"]],
    [`peers.ns${domain}`, ["NOERROR", "10.240.0.2", "10.240.0.3"]],
    [`a.peers.ns${domain}`, ["NOERROR", "10.240.0.2"]],
    [`b.peers.ns${domain}`, ["NOERROR", "10.240.0.3"]],
    [`A.Peers.NS${domain}`, ["NOERROR", "10.240.0.2"]],
    [`10-240-0-3.web.ns${domain}`, ["NOERROR", "10.240.0.3"]],
  ])("%s is known", (name, expected) => assert.deepEqual(ask(name), expected));

  test.each([`lonely.ns${domain}`, `ns${domain}`, "svc.cluster.local", "cluster.local"])(
    "%s exists but has none",
    (name) => assert.deepEqual(ask(name), ["NOERROR"]),
  );

  test.each([
    `c.peers.ns${domain}`,
    `x.a.peers.ns${domain}`,
    `nothing.ns${domain}`,
    `nowhere${domain}`,
    "pod.cluster.local",
    // How a resolver with search domains asks for a.peers.ns.svc, before it comes to the right one.
    `a.peers.ns.svc.ns${domain}`,
    `a.peers.ns.svc${domain}`,
    "a.peers.ns.svc",
    "example.com",
    "notcluster.local",
    "",
  ])("'%s' does not exist", (name) => assert.deepEqual(ask(name), ["NXDOMAIN"]));
});

test("an IPv6 address of a name that exists is no error, so that its IPv4 address is believed", () => {
  assert.deepEqual(ask(`web.ns${domain}`, "AAAA"), ["NOERROR"]);
  assert.deepEqual(ask(`a.peers.ns${domain}`, "AAAA"), ["NOERROR"]);
  assert.deepEqual(ask(`c.peers.ns${domain}`, "AAAA"), ["NXDOMAIN"]);
});

describe("a service is asked for", () => {
  const at = (target: string) => ({ port: 2379, target, priority: 0, weight: 100 });

  test("one with an address leads to itself", () => {
    const expected = ["NOERROR", at(`web.ns${domain}`)];
    assert.deepEqual(ask(`_client._tcp.web.ns${domain}`, "SRV"), expected);
    assert.deepEqual(ask(`web.ns${domain}`, "SRV"), expected);
  });

  test("a headless one leads to its endpoints, whose addresses come along", () => {
    assert.deepEqual(ask(`_client._tcp.peers.ns${domain}`, "SRV"), [
      "NOERROR",
      at(`a.peers.ns${domain}`),
      at(`b.peers.ns${domain}`),
    ]);
    const { additionals } = answer({ name: `peers.ns${domain}`, type: "SRV" }, names, "cluster.local");
    assert.deepEqual(
      additionals.map((record) => "data" in record && record.data),
      ["10.240.0.2", "10.240.0.3"],
    );
  });

  test("one with another port or protocol does not exist", () => {
    assert.deepEqual(ask(`_peer._tcp.web.ns${domain}`, "SRV"), ["NXDOMAIN"]);
    assert.deepEqual(ask(`_client._udp.web.ns${domain}`, "SRV"), ["NXDOMAIN"]);
  });
});

describe("a name is asked for", () => {
  test("a pod with a host name has that one only", () => {
    assert.deepEqual(ask("2.0.240.10.in-addr.arpa", "PTR"), ["NOERROR", `a.peers.ns${domain}`]);
  });

  test("a Service has its own", () => {
    assert.deepEqual(ask("5.128.240.10.in-addr.arpa", "PTR"), ["NOERROR", `web.ns${domain}`]);
  });

  test("an unused address has no name", () => {
    assert.deepEqual(ask("9.9.240.10.in-addr.arpa", "PTR"), ["NXDOMAIN"]);
  });
});
