import { refused, reported, works } from "../field-value.ts";
import type { Entries, Entry } from "./entry.ts";

/** Buckets are there, but for this one. */
export const MISSING_BUCKET = "no-such-bucket";
export const STORE_CLAIM = "backups";

/** A block with all that it must have; its key is what there is a backup under. */
export const STORE_KEY = "etcd/backup";
const BLOCKS = {
  s3: { path: `bucket/${STORE_KEY}`, awsSecret: "aws" },
  abs: { path: `bucket/${STORE_KEY}`, absSecret: "abs" },
  gcs: { path: `bucket/${STORE_KEY}`, gcpSecret: "gcs" },
  oss: { path: `bucket/${STORE_KEY}`, ossSecret: "oss" },
  volume: { path: STORE_KEY, claimName: STORE_CLAIM },
} as const;
const TYPES = { s3: "S3", abs: "ABS", gcs: "GCS", oss: "OSS", volume: "Volume" } as const;
type Block = keyof typeof BLOCKS;

export const S3_BLOCK = BLOCKS.s3;

/** Where a backup lies, of an EtcdBackup and of an EtcdRestore, which name the kind of store differently. */
export function storeEntries(typeField: string): Entries {
  const to = (block: Block) => ({
    ...(block !== "s3" && { [typeField]: TYPES[block], s3: undefined }),
    [block]: BLOCKS[block],
  });
  const blocks = (Object.keys(BLOCKS) as Block[]).map((block): [string, Entry] => [
    block,
    {
      along: to(block),
      but: { empty: "refused" },
      also: [works("usual", BLOCKS[block]), refused("absent", undefined)],
    },
  ]);
  const paths = (Object.keys(BLOCKS) as Block[]).map((block): [string, Entry] => [
    `${block}.path`,
    { ...path(block), along: to(block) },
  ]);
  return {
    [typeField]: { but: { ABS: "refused", GCS: "refused", OSS: "refused", Volume: "refused" } },
    ...Object.fromEntries([...blocks, ...paths]),
    "s3.awsSecret": { ...secret("aws"), but: { longest: NO_SECRET } },
    "s3.endpoint": { also: [works("usual", "http://minio:9000")] },
    "s3.forcePathStyle": {},
    "abs.absSecret": { ...secret("abs"), along: to("abs") },
    "gcs.gcpSecret": { ...secret("gcs"), along: to("gcs") },
    "oss.ossSecret": { ...secret("oss"), along: to("oss") },
    "oss.endpoint": { along: to("oss"), also: [works("usual", "https://oss-eu-central-1.aliyuncs.com")] },
    "volume.claimName": {
      along: to("volume"),
      but: { longest: { says: /a{200}/ } },
      also: [
        works("usual", STORE_CLAIM),
        reported("no-such-claim", "none-such", /none-such/),
        refused("capitals", "A"),
      ],
    },
  };
}

const NO_SECRET = { says: /Secret/ };

function secret(name: string): Entry {
  return {
    but: { longest: NO_SECRET },
    also: [works("usual", name), reported("no-such-secret", "none-such", /none-such/), refused("capitals", "Aws")],
  };
}

function path(block: Block): Entry {
  const [bucket, noBucket] = block === "volume" ? ["", []] : ["bucket/", [`${MISSING_BUCKET}/${STORE_KEY}`]];
  return {
    but: block === "volume" ? {} : { longest: "refused" },
    also: [
      works("usual", `${bucket}${STORE_KEY}`),
      ...noBucket.map((text) => reported("no-such-bucket", text, new RegExp(MISSING_BUCKET))),
      ...(block === "volume" ? [] : [refused("no-key", "bucket")]),
      refused("way-out", `${bucket}../etcd`),
      refused("absolute", "/etc/passwd"),
      refused("no-name", `${bucket}etcd/`),
      refused("control-character", `${bucket}a\nb`),
    ],
  };
}
