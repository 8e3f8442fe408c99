import assert from "node:assert/strict";
import { connectEtcd } from "@etcd-operator/etcd-client";
import { systemClock } from "@etcd-operator/kubernetes-client";
import { memberHost } from "@etcd-operator/operator/api/cluster/cluster-names.ts";
import { askMembers } from "@etcd-operator/operator/cluster/observe/members/ask-members.ts";
import { MemberConnections } from "@etcd-operator/operator/cluster/observe/members/member-connections.ts";
import { SecretReader } from "@etcd-operator/operator/cluster/tls/secret-reader.ts";
import { findOrigin } from "@etcd-operator/operator/transfer/snapshot/origin.ts";
import { aMemberPod } from "@etcd-operator/testing/cluster/a-member-pod.ts";
import { anEtcdCluster } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { startMembersOnSix } from "@etcd-operator/testing/etcd/six-only.ts";
import { isRoot } from "@etcd-operator/testing/local/network.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { describe, onTestFinished, test } from "vitest";

const { signal } = new AbortController();
const NAMES = ["example-a", "example-b", "example-c"];
const neverAsked = async () => assert.fail("no Secret is read");

describe.skipIf(!isRoot)(
  `members whose pods have addresses of IPv6 alone${isRoot ? "" : " (skipped: not root)"}`,
  () => {
    test.each(["3.3.25", "3.4.23", "3.5.30", "3.6.16", "3.7.3"])(
      "form a cluster of etcd %s that the operator asks, and whose endpoints an EtcdBackup reaches",
      { timeout: 120_000 },
      async (version) => {
        const cluster = anEtcdCluster({ version });
        const members = await startMembersOnSix(cluster, NAMES);
        onTestFinished(() => members.stop());
        const connections = new MemberConnections({
          secrets: new SecretReader({ get: neverAsked }),
          clock: systemClock,
        });
        onTestFinished(() => connections.close());

        const ask = async () => {
          const asked = NAMES.map((member) => {
            const pod = aMemberPod(cluster, {
              member,
              status: { phase: "Running", podIP: members.addresses.get(member) ?? "" },
            });
            return {
              uid: pod.metadata.uid,
              memberId: undefined,
              peerUrl: `http://${memberHost(cluster, member)}:2380`,
              isLeaving: false,
              line: () => connections.lineTo(cluster, pod, signal),
              renewedLine: async () => undefined,
            };
          });
          const seen = await askMembers(asked, { clusterId: undefined, timeoutMs: 2_000, signal });
          assert.deepEqual(
            [...seen.answers.values()].map(({ health }) => health),
            ["healthy", "healthy", "healthy"],
          );
          return seen;
        };
        const { membership } = await until(ask, { what: "all members to be healthy", timeoutMs: 20_000 });
        assert.equal(membership.kind === "confirmed" && membership.members.length, 3);

        for (const address of members.addresses.values()) {
          assert.equal((await fetch(`http://[${address}]:2381/metrics`)).status, 200, "where probes ask");
        }
        const [first = ""] = members.addresses.values();
        for (const endpoint of [`http://[${first}]:2379`, `[${first}]:2379`, first]) {
          const request = { namespace: "prod", spec: { etcdEndpoints: [endpoint] } };
          const deps = { client: { get: neverAsked, list: neverAsked }, trust: TRUSTED };
          const [found] = (await findOrigin(deps, request, signal)).endpoints;
          assert.ok(found);
          const client = connectEtcd(found);
          onTestFinished(() => client.close());
          await client.put({ key: endpoint, value: "is reached" });
          assert.equal(await client.clusterVersion(), version.replace(/[0-9]+$/, "0"));
        }
      },
    );
  },
);

const TRUSTED = { allowsLoopback: false, isTrusted: async () => true };
