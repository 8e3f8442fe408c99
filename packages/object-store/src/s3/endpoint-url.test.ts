import { storeErrorOf } from "@etcd-operator/testing/objectstore/contract/content.ts";
import { expect, test } from "vitest";
import { endpointUrl } from "./endpoint-url.ts";

test.each([
  ["https://minio.example.com:9000", "https://minio.example.com:9000/"],
  ["http://minio:9000/", "http://minio:9000/"],
  ["minio:9000", "https://minio:9000/"],
  ["10.0.0.7:9000", "https://10.0.0.7:9000/"],
  ["http://[fd00::7]:9000", "http://[fd00::7]:9000/"],
  ["[fd00::7]:9000", "https://[fd00::7]:9000/"],
  ["s3.eu-west-1.amazonaws.com", "https://s3.eu-west-1.amazonaws.com/"],
])("'%s' is %s", (endpoint, url) => {
  expect(endpointUrl(endpoint).href).toBe(url);
});

test.each(["http://", "https://a b", "ftp://host", "host:port"])("'%s' is refused", async (endpoint) => {
  expect((await storeErrorOf((async () => endpointUrl(endpoint))())).code).toBe("invalid");
});
