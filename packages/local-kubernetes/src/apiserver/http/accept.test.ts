import assert from "node:assert/strict";
import { test } from "vitest";
import { representationOf } from "./accept.ts";

test.each([
  [undefined, "object"],
  ["*/*", "object"],
  ["application/json", "object"],
  ["application/vnd.kubernetes.protobuf, */*", "object"],
  ["application/json;as=Table;v=v1;g=meta.k8s.io,application/json", "Table"],
  ["application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json", "object"],
  ["application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", "PartialObjectMetadataList"],
  ["application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json", "discovery"],
  ["application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json", "object"],
  ["application/vnd.kubernetes.protobuf", undefined],
  ["text/html", undefined],
])("%j asks for %s", (accept, representation) => {
  assert.equal(representationOf(accept), representation);
});
