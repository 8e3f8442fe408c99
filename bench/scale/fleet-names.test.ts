import assert from "node:assert/strict";
import { test } from "vitest";
import { addressOf, clusterName, clusterOf, idOf, SIZE } from "./fleet-names.ts";

test("no two members of five thousand clusters share an address, and all addresses are loopback", () => {
  const addresses = Array.from({ length: 5_000 * SIZE }, (_, at) => addressOf(Math.floor(at / SIZE), at % SIZE));
  assert.equal(new Set(addresses).size, 5_000 * SIZE);
  assert.deepEqual(
    addresses.filter((address) => !/^127\.(\d{1,3}\.){2}\d{1,3}$/.test(address)),
    [],
  );
  assert.equal(addressOf(0, 2), "127.64.0.2");
  assert.equal(addressOf(100, 0), "127.64.1.44");
});

test("a path tells whose the object is", () => {
  const cluster = clusterName(42);
  assert.equal(cluster, "fleet-00042");
  for (const path of [`/api/v1/namespaces/scale/pods/${cluster}-abcdefghij`, `/apis/g/v1/x/${cluster}/status?a=b`]) {
    assert.equal(clusterOf(path), cluster);
  }
  assert.equal(clusterOf("/api/v1/namespaces/scale/pods?watch=true"), undefined);
  assert.equal(clusterOf("/api/v1/pods/fleet-000421"), undefined);
});

test("ids follow from names, and differ", () => {
  assert.equal(idOf("fleet-00001"), idOf("fleet-00001"));
  assert.notEqual(idOf("fleet-00001"), idOf("fleet-00002"));
});
