import assert from "node:assert/strict";
import { rootCertificates } from "node:tls";
import type { Pod, Secret } from "kubernetes-types/core/v1.d.ts";
import { beforeAll, describe, test } from "vitest";
import { anEtcdCluster, STATIC_TLS } from "../../../test/support/cluster/an-etcd-cluster.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { KubeObject, ObjectRef } from "../../kubernetes/kube-object.ts";
import { KubernetesError } from "../../kubernetes/kubernetes-error.ts";
import type { ListOptions } from "../../kubernetes/request-options.ts";
import type { Resource } from "../../kubernetes/resource.ts";
import type { KubeClient } from "../../kubernetes/rest-client.ts";
import { createAuthority, issueCertificate } from "../../local/pki.ts";
import { findOrigin, type OriginWish } from "./origin.ts";

const { signal } = new AbortController();
const LIFETIME_MS = 3_600_000;
let certificate: { ca: string; cert: string; key: string };
beforeAll(async () => {
  const authority = await createAuthority("CN=test", LIFETIME_MS);
  const { cert, key } = await issueCertificate(authority, { subject: "CN=client", usage: "client" }, LIFETIME_MS);
  certificate = { ca: authority.cert, cert, key };
});

interface World {
  readonly clusters?: readonly EtcdCluster[];
  readonly pods?: readonly Pod[];
  /** Names of Secrets with a certificate. */
  readonly secrets?: readonly string[];
}

function clientOf({ clusters = [], pods = [], secrets = [] }: World): Pick<KubeClient, "get" | "list"> {
  const data = Object.entries({ crt: certificate.cert, key: certificate.key, "ca.crt": certificate.ca }).map(
    ([end, pem]) => [
      end === "ca.crt" ? "etcd-client-ca.crt" : `etcd-client.${end}`,
      Buffer.from(pem).toString("base64"),
    ],
  );
  const objects: Record<string, readonly KubeObject[]> = {
    EtcdCluster: clusters,
    Secret: secrets.map((name): Secret => ({ metadata: { namespace: "prod", name }, data: Object.fromEntries(data) })),
  };
  const get = async ({ kind }: Resource, { namespace, name }: ObjectRef) => {
    const found = objects[kind]?.find(({ metadata }) => metadata?.name === name && metadata?.namespace === namespace);
    if (found) return found;
    throw new KubernetesError("not-found", { operation: `GET ${kind} ${name}`, message: "not found" });
  };
  const list = async (_: Resource, { namespace, labelSelector }: ListOptions) => {
    assert.deepEqual([namespace, labelSelector], ["prod", "app=etcd,etcd_cluster=example"]);
    return { items: pods };
  };
  return { get, list } as unknown as Pick<KubeClient, "get" | "list">;
}

const find = (spec: OriginWish["spec"], world: World = {}) =>
  findOrigin(clientOf(world), { namespace: "prod", spec }, signal);

describe("endpoints that a user wrote down", () => {
  test.each([
    ["http://a:2379", "a:2379"],
    ["http://example-etcd-cluster-client:2379/", "example-etcd-cluster-client:2379"],
    ["10.0.0.1:2379", "10.0.0.1:2379"],
    ["http://a", "a:2379"],
    ["http://[fd00::1]:2379", "[fd00::1]:2379"],
    ["http://[fd00::1]", "[fd00::1]:2379"],
  ])("%s is dialled at %s, without TLS", async (text, address) => {
    assert.deepEqual((await find({ etcdEndpoints: [text] })).endpoints, [{ address }]);
  });

  test("with https are dialled with the certificate in the Secret", async () => {
    const spec = { etcdEndpoints: ["https://a:2379", "http://b:2379"], clientTLSSecret: "mine" };
    const { endpoints, clusterId, description } = await find(spec, { secrets: ["mine"] });
    assert.deepEqual(endpoints, [{ address: "a:2379", tls: certificate }, { address: "b:2379" }]);
    assert.deepEqual([clusterId, description], [undefined, "etcdEndpoints 'https://a:2379', 'http://b:2379'"]);
  });

  test("without a scheme are dialled with TLS when there is a certificate", async () => {
    const { endpoints } = await find({ etcdEndpoints: ["a:2379"], clientTLSSecret: "mine" }, { secrets: ["mine"] });
    assert.deepEqual(endpoints, [{ address: "a:2379", tls: certificate }]);
  });

  test("with https and without a Secret are believed if a public authority vouches for them", async () => {
    const [endpoint] = (await find({ etcdEndpoints: ["https://a:2379"], clientTLSSecret: "" })).endpoints;
    assert.deepEqual(endpoint?.tls, { ca: rootCertificates.join("\n") });
  });

  test("whose Secret is missing are somebody's to mend", async () => {
    const found = find({ etcdEndpoints: ["https://a:2379"], clientTLSSecret: "mine" });
    const message = "Secret 'prod/mine' of spec.clientTLSSecret does not exist: create it";
    await assert.rejects(found, { code: "bad-certificate", isTransient: false, message });
  });
});

describe("the members of an EtcdCluster", () => {
  const cluster = (spec: object = {}, status = {}) => ({ ...anEtcdCluster(spec), status });

  function pod(
    name: string,
    ip: string | undefined,
    given: { owner?: string; phase?: string; scheme?: string; isGoing?: true } = {},
  ) {
    const { owner = "uid-1", phase = "Running", scheme = "http", isGoing } = given;
    const command = ["/usr/local/bin/etcd", `--listen-client-urls=${scheme}://0.0.0.0:2379`];
    return {
      metadata: {
        name,
        namespace: "prod",
        ownerReferences: [{ apiVersion: "", kind: "EtcdCluster", name: "example", uid: owner }],
        ...(isGoing && { deletionTimestamp: "2030-01-01T00:00:00Z" }),
      },
      spec: { containers: [{ name: "etcd", command }] },
      status: { phase, ...(ip && { podIP: ip }) },
    } as Pod;
  }

  const SPEC = { etcdCluster: { name: "example" } };

  test("are its running pods, and nobody else's", async () => {
    const pods = [
      pod("a", "10.0.0.1"),
      pod("b", "fd00::2"),
      pod("pending", "10.0.0.3", { phase: "Pending" }),
      pod("nowhere", undefined),
      pod("foreign", "10.0.0.4", { owner: "uid-2" }),
      pod("going", "10.0.0.5", { isGoing: true }),
    ];
    const origin = await find(SPEC, { clusters: [cluster({}, { clusterID: "cdf818194e3a8c32" })], pods });
    assert.deepEqual(origin, {
      description: "EtcdCluster 'prod/example'",
      endpoints: [{ address: "10.0.0.1:2379" }, { address: "[fd00::2]:2379" }],
      clusterId: 0xcdf818194e3a8c32n,
    });
  });

  test("that serve TLS are recognised by their names, and shown the cluster's own certificate", async () => {
    const world = {
      clusters: [cluster({ TLS: STATIC_TLS })],
      pods: [pod("a", "10.0.0.1", { scheme: "https" }), pod("b", "10.0.0.2", { scheme: "https" })],
    };
    const { endpoints, clusterId } = await find(SPEC, { ...world, secrets: ["operator"] });
    const expected = [
      { address: "10.0.0.1:2379", tls: certificate, serverName: "a.example.prod.svc" },
      { address: "10.0.0.2:2379", tls: certificate, serverName: "b.example.prod.svc" },
    ];
    assert.deepEqual([endpoints, clusterId], [expected, undefined]);
    assert.equal(endpoints[0]?.tls, endpoints[1]?.tls, "what TLS makes of it is made once");
    const message = /'prod\/operator' of spec.TLS.static.operatorSecret of EtcdCluster 'example' does not exist/;
    await assert.rejects(find(SPEC, world), { code: "bad-certificate", message });
  });

  test("are shown the certificate of the EtcdBackup where it names one", async () => {
    const world = { clusters: [cluster({ TLS: STATIC_TLS })], pods: [pod("a", "10.0.0.1", { scheme: "https" })] };
    await find({ ...SPEC, clientTLSSecret: "mine" }, { ...world, secrets: ["mine"] });
  });

  test("that serve TLS to an operator without a certificate need somebody's help", async () => {
    const world = { clusters: [cluster()], pods: [pod("a", "10.0.0.1", { scheme: "https" })] };
    await assert.rejects(find(SPEC, world), {
      code: "bad-certificate",
      message: /name a Secret in spec.clientTLSSecret/,
    });
  });

  test("cannot be found without it", async () => {
    const message = "EtcdCluster 'prod/example' does not exist: create it, or correct spec.etcdCluster.name";
    await assert.rejects(find(SPEC), { code: "no-cluster", isTransient: false, message });
  });
});
