import { expect, test } from "vitest";
import { ossEndpoint } from "./oss-endpoint.ts";

test.each([
  ["https://oss-cn-hangzhou.aliyuncs.com", "https://s3.oss-cn-hangzhou.aliyuncs.com/", "cn-hangzhou"],
  ["http://oss-cn-hangzhou.aliyuncs.com", "http://s3.oss-cn-hangzhou.aliyuncs.com/", "cn-hangzhou"],
  ["oss-eu-central-1.aliyuncs.com", "https://s3.oss-eu-central-1.aliyuncs.com/", "eu-central-1"],
  ["oss-cn-beijing-internal.aliyuncs.com", "https://s3.oss-cn-beijing-internal.aliyuncs.com/", "cn-beijing"],
  ["https://s3.oss-us-west-1.aliyuncs.com", "https://s3.oss-us-west-1.aliyuncs.com/", "us-west-1"],
  [undefined, "https://s3.oss-cn-hangzhou.aliyuncs.com/", "cn-hangzhou"],
  ["https://proxy.example.com:8443", "https://proxy.example.com:8443/", "oss"],
])("%s is asked as %s", (endpoint, url, region) => {
  const found = ossEndpoint(endpoint);
  expect(found.url.href).toBe(url);
  expect(found.region).toBe(region);
});
