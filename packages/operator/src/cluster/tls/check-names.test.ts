import assert from "node:assert/strict";
import { anEtcdCluster } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { issue } from "@etcd-operator/testing/tls/issue.ts";
import { describe, test } from "vitest";
import { parseCertificate } from "./certificate.ts";
import { checkPeerNames, checkServerNames } from "./check-names.ts";

const ANY = "*.example.prod.svc";
const FULL = "*.example.prod.svc.cluster.local";
const SERVICE = ["example-client", "example-client.prod", "example-client.prod.svc", "localhost"];

interface Case {
  readonly names: readonly string[];
  readonly members?: readonly string[];
  readonly domain?: string;
  /** Severity and the names that are missed. */
  readonly found: readonly (readonly [string, ...string[]])[];
}

describe("the names of a peer certificate", () => {
  test.each<[string, Case]>([
    ["cover members by a star", { names: [ANY, FULL], found: [] }],
    ["cover them in whatever case", { names: ["*.Example.PROD.svc", FULL], found: [] }],
    ["do not cover them when there are none", { names: [], found: [["defect", ANY]] }],
    ["do not cover them by a star for two labels", { names: ["*.prod.svc"], found: [["defect", ANY]] }],
    ["do not cover them by a star within a label", { names: ["example-*.example.prod.svc"], found: [["defect", ANY]] }],
    ["do not cover them in another namespace", { names: ["*.example.dev.svc"], found: [["defect", ANY]] }],
    [
      "do not cover members to come by naming those that are there",
      { names: ["a.example.prod.svc"], members: ["a.example.prod.svc"], found: [["defect", ANY]] },
    ],
    [
      "do not cover members that are registered under another domain",
      { names: [ANY, FULL], members: ["a.example.prod.svc.old"], found: [["defect", "a.example.prod.svc.old"]] },
    ],
    [
      "cover members that are registered under another domain, when it is named",
      { names: [ANY, FULL], members: ["a.example.prod.svc.cluster.local"], found: [] },
    ],
    ["may fail reverse DNS without the domain of the cluster", { names: [ANY], found: [["warning", FULL]] }],
    ["suit reverse DNS in any domain", { names: [ANY, "*.example.prod.svc.corp.net"], found: [] }],
    [
      "need the domain when the spec has one",
      { names: [ANY], domain: "corp.net", found: [["defect", `${ANY}.corp.net`]] },
    ],
    ["need no other when the spec has one", { names: [`${ANY}.corp.net`], domain: "corp.net", found: [] }],
  ])("%s", async (_, { found, ...given }) => {
    assert.deepEqual(await missed(checkPeerNames, given), found);
  });
});

describe("the names of a server certificate", () => {
  test.each<[string, Case]>([
    ["cover members and the Service", { names: [ANY, ...SERVICE], found: [] }],
    [
      "need the star and the Service in its namespace; the rest is useful",
      {
        names: ["elsewhere"],
        found: [
          ["defect", ANY, "example-client.prod.svc"],
          ["warning", "example-client", "example-client.prod", "localhost"],
        ],
      },
    ],
    [
      "without short forms of the Service are worth a warning",
      {
        names: [ANY, "example-client.prod.svc", "localhost"],
        found: [["warning", "example-client", "example-client.prod"]],
      },
    ],
    [
      "do not cover the Service by the star of the members",
      {
        names: [ANY, "localhost"],
        found: [
          ["defect", "example-client.prod.svc"],
          ["warning", "example-client", "example-client.prod"],
        ],
      },
    ],
    [
      "need the domain for members when the spec has one, and should have it for the Service",
      {
        ...{ names: [ANY, ...SERVICE], domain: "corp.net" },
        found: [
          ["defect", `${ANY}.corp.net`],
          ["warning", "example-client.prod.svc.corp.net"],
        ],
      },
    ],
  ])("%s", async (_, { found, ...given }) => {
    assert.deepEqual(await missed(checkServerNames, given), found);
  });
});

test("a certificate with only a common name is reported: that name does not count", async () => {
  const leaf = parseCertificate((await issue({ subject: `CN=${ANY}` })).cert);
  const [finding] = checkPeerNames("peer", leaf, { cluster: anEtcdCluster(), members: [] });
  assert.match(finding?.defect ?? "", /no DNS names \(the common name does not count\)/);
});

async function missed(check: typeof checkPeerNames, { names, members = [], domain }: Omit<Case, "found">) {
  const leaf = parseCertificate((await issue({ dnsNames: names })).cert);
  const cluster = anEtcdCluster(domain ? { pod: { ClusterDomain: domain } } : {});
  return check("tls", leaf, { cluster, members }).map(({ severity, defect }) => [
    severity,
    ...[...defect.matchAll(/'([^']+)'/g)].map(([, name]) => name),
  ]);
}
