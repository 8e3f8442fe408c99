import assert from "node:assert/strict";
import { aPod, stored } from "@etcd-operator/testing/local/stored-objects.ts";
import type { Service } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import { endpointSlices } from "./endpoint-slices.ts";
import { endpointsOf } from "./endpoints.ts";

const aService = (spec: Service["spec"] = {}) =>
  stored<Service>("web", {
    metadata: { labels: { team: "a" } },
    spec: {
      clusterIP: "None",
      selector: { app: "web" },
      ports: [{ name: "http", port: 80, targetPort: 8080 }],
      ...spec,
    },
  });

const conditionsOf = (...given: Parameters<typeof endpointSlices>) =>
  endpointSlices(...given).flatMap(({ endpoints }) => endpoints.map(({ conditions }) => conditions));

describe("EndpointSlices", () => {
  test("hold the pods that have an address and are not finished, ready or not", () => {
    const pods = [
      aPod("ready", { ip: "10.0.0.1" }),
      aPod("starting", { ip: "10.0.0.2", isReady: false }),
      aPod("pending"),
      aPod("failed", { ip: "10.0.0.3", phase: "Failed" }),
      aPod("going", { ip: "10.0.0.4", isGoing: true }),
    ];
    const [slice] = endpointSlices(aService(), pods);
    assert.deepEqual(
      slice?.endpoints.map(({ addresses: [ip], conditions, targetRef }) => [targetRef?.name, ip, conditions]),
      [
        ["going", "10.0.0.4", { ready: false, serving: true, terminating: true }],
        ["ready", "10.0.0.1", { ready: true, serving: true, terminating: false }],
        ["starting", "10.0.0.2", { ready: false, serving: false, terminating: false }],
      ],
    );
    assert.deepEqual(slice?.ports, [{ name: "http", protocol: "TCP", port: 8080 }]);
  });

  test("call every pod ready where the Service publishes those that are not", () => {
    const pods = [aPod("a", { ip: "10.0.0.1", isReady: false }), aPod("b", { ip: "10.0.0.2", isGoing: true })];
    const conditions = conditionsOf(aService({ ports: [], publishNotReadyAddresses: true }), pods);
    assert.deepEqual(
      conditions.map((it) => [it?.ready, it?.serving]),
      [
        [true, false],
        [true, true],
      ],
    );
  });

  test("give a host name to those pods only whose subdomain is the Service", () => {
    const pods = [
      aPod("a", { ip: "10.0.0.1", spec: { hostname: "a", subdomain: "web" } }),
      aPod("b", { ip: "10.0.0.2", spec: { hostname: "b", subdomain: "other" } }),
    ];
    const hostnames = endpointSlices(aService(), pods).flatMap(({ endpoints }) => endpoints.map((it) => it.hostname));
    assert.deepEqual(hostnames, ["a", undefined]);
  });

  test("are one for each number that a named port has", () => {
    const withPort = (containerPort: number) => ({
      containers: [{ name: "c", ports: [{ name: "web", containerPort }] }],
    });
    const pods = [
      aPod("a", { ip: "10.0.0.1", spec: withPort(1) }),
      aPod("b", { ip: "10.0.0.2", spec: withPort(2) }),
      aPod("c", { ip: "10.0.0.3", spec: withPort(1) }),
    ];
    const slices = endpointSlices(aService({ ports: [{ port: 80, targetPort: "web" }] }), pods);
    assert.deepEqual(
      slices.map(({ ports, endpoints }) => [ports?.[0]?.port, endpoints.length]),
      [
        [1, 2],
        [2, 1],
      ],
    );
    assert.equal(new Set(slices.map(({ metadata }) => metadata?.name)).size, 2);
  });

  test("are one even without pods, and belong to the Service", () => {
    const [slice, ...more] = endpointSlices(aService(), []);
    assert.deepEqual(more, []);
    assert.equal(slice?.metadata?.ownerReferences?.[0]?.uid, "uid-web");
    assert.equal(slice?.metadata?.labels?.["kubernetes.io/service-name"], "web");
    assert.equal(slice?.metadata?.labels?.team, "a");
  });
});

test("Endpoints tell ready addresses from others, and leave out what is going", () => {
  const pods = [
    aPod("a", { ip: "10.0.0.1" }),
    aPod("b", { ip: "10.0.0.2", isReady: false }),
    aPod("c", { ip: "10.0.0.3", isGoing: true }),
  ];
  const [subset, ...more] = endpointsOf(aService(), pods).subsets ?? [];
  assert.deepEqual(more, []);
  assert.deepEqual(
    subset?.addresses?.map(({ ip }) => ip),
    ["10.0.0.1"],
  );
  assert.deepEqual(
    subset?.notReadyAddresses?.map(({ ip }) => ip),
    ["10.0.0.2"],
  );
  assert.deepEqual(subset?.ports, [{ name: "http", protocol: "TCP", port: 8080 }]);
});
