import assert from "node:assert/strict";
import { rootCertificates } from "node:tls";
import type { KubeClient, KubeObject, ObjectRef, Resource } from "@etcd-operator/kubernetes-client";
import { KubernetesError } from "@etcd-operator/kubernetes-client";
import type { ListOptions } from "@etcd-operator/kubernetes-client/requests/request-options.ts";
import { createAuthority, issueCertificate } from "@etcd-operator/local-kubernetes/pki.ts";
import { anEtcdCluster, STATIC_TLS } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import type { Pod, Secret, Service } from "kubernetes-types/core/v1.d.ts";
import { beforeAll, describe, test } from "vitest";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { Resolve } from "../trust/guarded-lookup.ts";
import type { Trust } from "../trust/trust.ts";
import { findOrigin, type OriginRequest } from "./origin.ts";

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
  readonly services?: readonly Service[];
}

/** Names have the addresses that they begin with. */
const RESOLVE: Resolve = (name, _, done) => {
  const [, address] = /^([0-9.]+)\.example$/.exec(name) ?? [];
  done(null, address ? [{ address, family: 4 }] : []);
};
const TRUSTED: Trust = { allowsLoopback: false, isTrusted: async () => true, resolve: RESOLVE };
const UNTRUSTED: Trust = { ...TRUSTED, isTrusted: async () => false };

function clientOf({ clusters = [], pods = [], secrets = [], services = [] }: World): Pick<KubeClient, "get" | "list"> {
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
  const list = async ({ kind }: Resource, { namespace, labelSelector }: ListOptions) => {
    assert.equal(namespace, "prod");
    if (kind === "Service") return { items: services };
    if (clusters.length > 0) assert.equal(labelSelector, "app=etcd,etcd_cluster=example");
    return { items: pods };
  };
  return { get, list } as unknown as Pick<KubeClient, "get" | "list">;
}

async function find(spec: OriginRequest["spec"], world: World = {}, trust: Trust = TRUSTED) {
  const origin = await findOrigin({ client: clientOf(world), trust }, { namespace: "prod", spec }, signal);
  const endpoints = origin.endpoints.map(({ lookup: _, ...endpoint }) => endpoint);
  return { ...origin, endpoints, lookups: origin.endpoints.map(({ lookup }) => lookup) };
}

describe("endpoints that a user wrote down", () => {
  test.each([
    ["http://a:2379", "a:2379"],
    ["http://example-etcd-cluster-client:2379/", "example-etcd-cluster-client:2379"],
    ["10.0.0.1:2379", "10.0.0.1:2379"],
    ["http://a", "a:2379"],
    ["http://[fd00::1]:2379", "[fd00::1]:2379"],
    ["http://[fd00::1]", "[fd00::1]:2379"],
    ["fd00::1", "[fd00::1]:2379"],
    ["http://fd00::1", "[fd00::1]:2379"],
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

  test("whose Secret is missing need a fix", async () => {
    const found = find({ etcdEndpoints: ["https://a:2379"], clientTLSSecret: "mine" });
    const message = "Secret 'prod/mine' of spec.clientTLSSecret does not exist: create it";
    await assert.rejects(found, { code: "bad-certificate", isTransient: false, message });
  });
});

describe("endpoints that a user wrote down, where the operator alone could reach them", () => {
  const pod = (podIP: string, more: object = {}) => ({ spec: { containers: [], ...more }, status: { podIP } });
  const service = (clusterIP: string, more: object = {}) => ({
    spec: { clusterIP, selector: { app: "etcd" }, ...more },
  });
  const world: World = {
    pods: [pod("10.1.0.1"), pod("fd00::1:5"), pod("10.9.9.9", { hostNetwork: true })],
    services: [
      service("10.2.0.1"),
      service("None"),
      service("10.2.0.3", { selector: {} }),
      service("10.2.0.4", { type: "ExternalName" }),
    ],
    secrets: ["mine"],
  };

  test.each([
    "http://10.2.0.1.example:2379",
    "http://10.1.0.1.example:2379",
    "10.1.0.1:2379",
    "http://10.2.0.1",
    "[FD00:0::1:5]:2379",
  ])("'%s' is of the same namespace, and dialled without a Secret", async (text) => {
    assert.equal((await find({ etcdEndpoints: [text] }, world, UNTRUSTED)).endpoints.length, 1);
  });

  test.each([
    ["another namespace", "http://10.1.0.2.example:2379"],
    ["another namespace, by its address", "10.1.0.2:2379"],
    ["a node", "10.9.9.9:2379"],
    ["a Service that its author leads anywhere", "http://10.2.0.3:2379"],
    ["a Service that stands for another name", "http://10.2.0.4:2379"],
    ["the internet", "https://8.8.8.8:2379"],
  ])("%s is not asked without a certificate of this namespace", async (_, text) => {
    const refused = find({ etcdEndpoints: [text] }, world, UNTRUSTED);
    await assert.rejects(refused, {
      code: "not-allowed",
      isTransient: false,
      message: /spec\.clientTLSSecret; or an administrator/,
    });
  });

  test("a certificate that is not shown, because the endpoint uses no TLS, is none", async () => {
    const spec = { etcdEndpoints: ["http://10.1.0.2:2379"], clientTLSSecret: "mine" };
    await assert.rejects(find(spec, world, UNTRUSTED), { code: "not-allowed" });
  });

  test("another namespace is asked with a certificate of this one, or from a trusted namespace", async () => {
    const spec = { etcdEndpoints: ["https://10.1.0.2:2379"], clientTLSSecret: "mine" };
    assert.equal((await find(spec, world, UNTRUSTED)).endpoints.length, 1);
    assert.equal((await find({ etcdEndpoints: ["http://10.1.0.2:2379"] }, world, TRUSTED)).endpoints.length, 1);
  });

  test.each([
    ...["http://127.0.0.1:2379", "http://[::1]:2379", "http://[::ffff:127.0.0.1]:2379", "http://169.254.169.254"],
    ...["http://169.254.1.1:2379", "http://0.0.0.0:2379", "http://224.0.0.1:2379", "http://127.0.0.1.example"],
  ])("'%s' is asked by no one, not with a certificate either", async (text) => {
    await assert.rejects(find({ etcdEndpoints: [text] }, world, TRUSTED), { code: "not-allowed" });
    const secure = text.replace("http:", "https:");
    await assert.rejects(find({ etcdEndpoints: [secure], clientTLSSecret: "mine" }, world, UNTRUSTED), {
      code: "not-allowed",
    });
  });

  test("a name that gets another address after it was checked leads nowhere", async () => {
    let address = "10.1.0.1";
    const resolve: Resolve = (_name, _options, done) => done(null, [{ address, family: 4 }]);
    const { lookups } = await find({ etcdEndpoints: ["http://rebound:2379"] }, world, { ...UNTRUSTED, resolve });
    const ask = () =>
      new Promise((found) => void lookups[0]?.("rebound", { all: true }, (error, all) => found(error?.code ?? all)));
    assert.deepEqual(await ask(), [{ address: "10.1.0.1", family: 4 }]);
    for (address of ["127.0.0.1", "10.1.0.2"]) assert.equal(await ask(), "EADDRNOTALLOWED");
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

  test("are its running pods, and no others", async () => {
    const pods = [
      pod("a", "10.0.0.1"),
      pod("b", "fd00::2"),
      pod("pending", "10.0.0.3", { phase: "Pending" }),
      pod("nowhere", undefined),
      pod("foreign", "10.0.0.4", { owner: "uid-2" }),
      pod("going", "10.0.0.5", { isGoing: true }),
    ];
    const { lookups: _, ...origin } = await find(SPEC, {
      clusters: [cluster({}, { clusterID: "cdf818194e3a8c32" })],
      pods,
    });
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

  test("that serve TLS to an operator without a certificate need a fix", async () => {
    const world = { clusters: [cluster()], pods: [pod("a", "10.0.0.1", { scheme: "https" })] };
    await assert.rejects(find(SPEC, world), {
      code: "bad-certificate",
      message: /set spec.clientTLSSecret to a Secret/,
    });
  });

  test("cannot be found without it", async () => {
    const message = "EtcdCluster 'prod/example' does not exist: create it, or correct spec.etcdCluster.name";
    await assert.rejects(find(SPEC), { code: "no-cluster", isTransient: false, message });
  });
});
