import { objectStoreContract } from "@etcd-operator/testing/objectstore/contract/object-store-contract.ts";
import { s3Harness } from "@etcd-operator/testing/objectstore/s3-harness.ts";
import { s3Store } from "./s3-store.ts";

const harness = await s3Harness({
  name: "S3 on versitygw",
  open: ({ bucket, address, region, accessKeyId, secretAccessKey }, tuning) => {
    const credentials = `[default]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`;
    const profile = { credentials, config: `[default]\nregion = ${region}\n` };
    return s3Store({ kind: "s3", bucket, endpoint: `http://${address}`, forcePathStyle: true, profile }, tuning);
  },
});

objectStoreContract(harness);
