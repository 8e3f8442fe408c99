import assert from "node:assert/strict";
import { anEndpoint, aService, aSlice } from "@etcd-operator/testing/local/services.ts";
import { describe, test } from "vitest";
import { serviceEntry } from "./service-entry.ts";

const ips = (endpoints: readonly { ip: string }[] | undefined) => endpoints?.map(({ ip }) => ip);
const notReady = { conditions: { ready: false, serving: false, terminating: false } };

describe("what a Service stands for", () => {
  test("is its ready endpoints, from all of its slices", () => {
    const slices = [
      aSlice("web", [anEndpoint("10.240.0.2"), anEndpoint("10.240.0.3", notReady)]),
      aSlice("web", [anEndpoint("10.240.0.4", { conditions: {} })]),
    ];
    assert.deepEqual(ips(serviceEntry(aService("web"), slices)?.endpoints), ["10.240.0.2", "10.240.0.4"]);
  });

  test("includes endpoints that are not ready where the Service publishes them", () => {
    const service = aService("web", { publishNotReadyAddresses: true });
    const slices = [aSlice("web", [anEndpoint("10.240.0.3", notReady)])];
    assert.deepEqual(ips(serviceEntry(service, slices)?.endpoints), ["10.240.0.3"]);
  });

  test("keeps what is going but still serves as a last resort", () => {
    const going = anEndpoint("10.240.0.3", { conditions: { ready: false, serving: true, terminating: true } });
    const entry = serviceEntry(aService("web"), [aSlice("web", [going])]);
    assert.deepEqual(ips(entry?.endpoints), []);
    assert.deepEqual(ips(entry?.lastResort), ["10.240.0.3"]);
  });

  test("names an endpoint by its host name, else by its address", () => {
    const slices = [aSlice("web", [anEndpoint("10.240.0.2", { hostname: "web-0" }), anEndpoint("10.240.0.3")])];
    const labels = serviceEntry(aService("web"), slices)?.endpoints.map(({ label }) => label);
    assert.deepEqual(labels, ["web-0", "10-240-0-3"]);
  });

  test("has no address of its own when it is headless, and is nothing at all without one", () => {
    assert.equal(serviceEntry(aService("web", { clusterIP: "None" }), [])?.clusterIp, undefined);
    assert.equal(serviceEntry(aService("web", { type: "ExternalName", clusterIP: "" }), []), undefined);
  });
});
