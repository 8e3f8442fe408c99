import assert from "node:assert/strict";
import { test } from "vitest";
import { parse } from "yaml";
import { customResourceDefinition } from "../api/crd/custom-resource-definition.ts";
import { type Kind, kinds } from "../api/kinds.ts";
import { crdAsYaml } from "./crds.ts";

test.each(Object.values<Kind>(kinds))(
  "kubectl, which takes a bare Off for false, reads the CRD of $kind as it is meant",
  (kind) => {
    const read = parse(crdAsYaml(kind), { version: "1.1" });
    assert.deepEqual(read, JSON.parse(JSON.stringify(customResourceDefinition(kind))));
  },
);
