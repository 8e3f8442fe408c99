import dns from "node:dns";
import { objectStoreContract } from "@etcd-operator/testing/objectstore/contract/object-store-contract.ts";
import { s3Harness } from "@etcd-operator/testing/objectstore/s3-harness.ts";
import { vi } from "vitest";
import { ossStore } from "./oss-store.ts";

// No server of OSS itself can be had. One that speaks S3 takes its place under its names, which lead to this machine
// here.
const lookup = dns.lookup as (name: string, options: dns.LookupOptions, done: (...found: unknown[]) => void) => void;
vi.spyOn(dns, "lookup").mockImplementation(((name: string, options: dns.LookupOptions, done: () => void) =>
  lookup(name.endsWith(".aliyuncs.com") ? "127.0.0.1" : name, options, done)) as unknown as typeof dns.lookup);

const harness = await s3Harness({
  name: "OSS on versitygw",
  virtualDomain: "s3.oss-eu-test-1.aliyuncs.com",
  open: ({ bucket, address, region, accessKeyId, secretAccessKey }, tuning) => {
    const endpoint = `http://oss-${region}.aliyuncs.com:${new URL(`http://${address}`).port}`;
    return ossStore({ kind: "oss", bucket, endpoint, accessKeyId, accessKeySecret: secretAccessKey }, tuning);
  },
});

objectStoreContract(harness);
