import assert from "node:assert/strict";
import { test } from "vitest";
import { requestUrl } from "../http/request-url.ts";
import { requestAttributes } from "./request-attributes.ts";

test.each<[string, string, string]>([
  ["GET", "/api/v1/pods", "list pods"],
  ["HEAD", "/api/v1/pods", "list pods"],
  ["GET", "/api/v1/pods?watch=1", "watch pods"],
  ["GET", "/api/v1/watch/pods", "watch pods"],
  ["GET", "/api/v1/pods?watch=t", "watch pods"],
  ["GET", "/api/v1/pods?watch", "watch pods"],
  ["GET", "/api/v1/pods?watch=False", "list pods"],
  ["GET", "/api/v1/namespaces/ns/pods/a", "get pods ns a"],
  ["GET", "/api/v1/namespaces/ns/pods/a/log?follow=true", "get pods/log ns a"],
  ["POST", "/api/v1/namespaces/ns/pods/a/exec", "create pods/exec ns a"],
  ["GET", "/api/v1/namespaces/ns/pods/a/proxy/some/where", "get pods/proxy ns a"],
  ["DELETE", "/api/v1/namespaces/ns/pods", "deletecollection pods ns"],
  ["DELETE", "/api/v1/namespaces/ns/pods/a", "delete pods ns a"],
  ["GET", "/api/v1/namespaces", "list namespaces"],
  ["GET", "/api/v1/namespaces/ns", "get namespaces ns ns"],
  ["PUT", "/api/v1/namespaces/ns/finalize", "update namespaces/finalize ns ns"],
  ["PATCH", "/apis/apps/v1/namespaces/ns/deployments/a/scale", "patch deployments/scale ns a"],
  ["GET", "/api/v1/namespaces/ns/secrets?fieldSelector=type%3DOpaque%2Cmetadata.name%3Da", "list secrets ns a"],
  ["GET", "/api/v1/namespaces/ns/secrets?fieldSelector=metadata.name!%3Da", "list secrets ns"],
  ["OPTIONS", "/api/v1/pods", " pods"],
  ["GET", "/api/v1", "get /api/v1"],
  ["GET", "/apis/apps/v1", "get /apis/apps/v1"],
  ["POST", "/version?x=1", "post /version"],
  ["GET", "/", "get /"],
])("%s %s is: %s", (method, url, expected) => {
  const asked = requestAttributes(method, requestUrl(url));
  const parts =
    asked.kind === "path"
      ? [asked.verb, asked.path]
      : [
          asked.verb,
          asked.subresource === "" ? asked.resource : `${asked.resource}/${asked.subresource}`,
          asked.namespace,
          asked.name,
        ];
  assert.equal(parts.join(" ").trimEnd(), expected);
});
