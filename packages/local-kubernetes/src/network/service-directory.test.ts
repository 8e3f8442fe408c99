import assert from "node:assert/strict";
import { anEndpoint, aService, aSlice } from "@etcd-operator/testing/local/services.ts";
import { describe, test } from "vitest";
import { ServiceDirectory } from "./service-directory.ts";

describe("the directory of Services", () => {
  test("knows a Service whichever of it and its slices comes first", () => {
    const directory = new ServiceDirectory();
    directory.setSlice(aSlice("web", [anEndpoint("10.240.0.2")]));
    assert.equal(directory.entry("ns", "web"), undefined);
    directory.setService(aService("web"));
    assert.equal(directory.entry("ns", "web")?.endpoints.length, 1);
    directory.setSlice(aSlice("web", [anEndpoint("10.240.0.2"), anEndpoint("10.240.0.3")]));
    assert.equal(directory.entry("ns", "web")?.endpoints.length, 2);
  });

  test("finds Services by their address and by those of their endpoints, as long as they have them", () => {
    const directory = new ServiceDirectory();
    directory.setService(aService("web"));
    directory.setSlice(aSlice("web", [anEndpoint("10.240.0.2")]));
    assert.equal(directory.withAddress("10.240.128.5").length, 1);
    assert.equal(directory.withAddress("10.240.0.2").length, 1);
    directory.removeSlice(aSlice("web", []));
    assert.equal(directory.withAddress("10.240.0.2").length, 0);
    directory.removeService(aService("web"));
    assert.equal(directory.withAddress("10.240.128.5").length, 0);
  });

  test("knows the namespaces that have Services", () => {
    const directory = new ServiceDirectory();
    directory.setService(aService("web"));
    directory.setService(aService("web"));
    directory.setService(aService("other"));
    directory.removeService(aService("web"));
    assert.ok(directory.hasNamespace("ns"));
    directory.removeService(aService("other"));
    assert.ok(!directory.hasNamespace("ns"));
  });

  test("tells of every change, and of the end", () => {
    const told: string[] = [];
    const directory = new ServiceDirectory((key, entry) => told.push(`${key} ${entry?.endpoints.length ?? "gone"}`));
    directory.setService(aService("web"));
    directory.setSlice(aSlice("web", [anEndpoint("10.240.0.2")]));
    directory.removeService(aService("web"));
    assert.deepEqual(told, ["ns/web 0", "ns/web 1", "ns/web gone"]);
  });
});
