import * as z from "zod";
import { objectName } from "../schema/primitives.ts";
import { matching, type Rule, refusing, withRules } from "../schema/rule.ts";

const staysInside: readonly Rule<string>[] = [
  refusing(
    String.raw`\.\.`,
    "'{}' contains '..', which could leave the configured location: write the path without it",
  ),
  refusing(String.raw`(^|/)\.(/|$)`, "'{}' has a part that is only '.': write the path without it"),
  refusing("^/", "'{}' begins with '/': write it without, as in 'bucket/etcd/backup'"),
  refusing(String.raw`\\`, "'{}' contains a backslash: separate the parts with '/'"),
  refusing(String.raw`[\x00-\x1f\x7f-\x9f]`, "'{}' contains a control character: remove it"),
  refusing("%2[eE]", "'{}' contains '%2e', an encoded dot: write the path unencoded and without '..'"),
];

const bucketAndKey = matching(
  String.raw`^[^/:]+/[\s\S]*[^/]$`,
  "'{}' is not '<bucket>/<key>': write the bucket, a '/', and the name of the backup",
);
const fileName = matching("[^/]$", "'{}' has no file name: end it with the name of the backup");

const objectPath = () => withRules(z.string().min(1).max(1024), [...staysInside, bucketAndKey]);
const volumePath = () => withRules(z.string().min(1).max(1024), [...staysInside, fileName]);

const s3 = z.object({
  path: objectPath().describe("`<bucket>/<key>`; periodic backups append the revision and the time."),
  awsSecret: objectName()
    .optional()
    .describe(
      "Secret with `credentials` and `config` (profile `default`); without it the operator's own role is used, where the namespace is trusted.",
    ),
  endpoint: z
    .string()
    .max(2048)
    .optional()
    .describe("URL of an S3-compatible server other than AWS; requires keys in a Secret."),
  forcePathStyle: z.boolean().optional().describe("Put the bucket into the path instead of the host name."),
});

const abs = z.object({
  path: objectPath().describe("`<container>/<key>`."),
  absSecret: objectName()
    .min(1)
    .describe("Secret with `storage-account`, `storage-key` and, outside the public cloud, `cloud`."),
});

const gcs = z.object({
  path: objectPath().describe("`<bucket>/<key>`."),
  gcpSecret: objectName()
    .optional()
    .describe(
      "Secret with `access-token` or `credentials.json`; without it the operator's default credentials are used, where the namespace is trusted.",
    ),
});

const oss = z.object({
  path: objectPath().describe("`<bucket>/<key>`."),
  ossSecret: objectName().min(1).describe("Secret with `accessKeyID` and `accessKeySecret`."),
  endpoint: z.string().max(2048).optional().describe("Endpoint of the region."),
});

const volume = z.object({
  claimName: objectName().min(1).describe("PersistentVolumeClaim in the same namespace."),
  path: volumePath().describe("File inside the volume."),
});

/** The stores for a backup; exactly one block is set. */
export const storeBlocks = {
  s3: s3.optional().describe("Amazon S3, or a server with a compatible API."),
  abs: abs.optional().describe("Azure Blob Storage."),
  gcs: gcs.optional().describe("Google Cloud Storage."),
  oss: oss.optional().describe("Alibaba Cloud OSS."),
  volume: volume.optional().describe("A PersistentVolumeClaim."),
};

const BLOCK_OF = { S3: "s3", ABS: "abs", GCS: "gcs", OSS: "oss", Volume: "volume" } as const;
const BLOCKS = Object.values(BLOCK_OF);

export const storeType = z.enum(["S3", "ABS", "GCS", "OSS", "Volume"]);
export type StoreType = z.output<typeof storeType>;

type Stores = { readonly [Block in keyof typeof storeBlocks]?: unknown };

/** Exactly one block, and the one that the field `typeField` names. */
export function storeRules<T extends Stores>(typeField: string, typeOf: (spec: T) => StoreType): Rule<T>[] {
  const present = (spec: T) => BLOCKS.filter((block) => spec[block] !== undefined);
  const matches = Object.entries(BLOCK_OF).map(
    ([type, block]) => `(self.${typeField} != '${type}' || has(self.${block}))`,
  );
  const count = `(${BLOCKS.map((block) => `(has(self.${block}) ? 1 : 0)`).join(" + ")})`;
  return [
    {
      holds: (spec) => present(spec).length === 1,
      cel: `${count} == 1`,
      message: `{} of the blocks ${BLOCKS.join(", ")} is set: set exactly one, the one named by ${typeField}`,
      offender: {
        of: (spec) => (present(spec).length === 0 ? "none" : "more than one"),
        cel: `(${count} == 0 ? 'none' : 'more than one')`,
      },
    },
    {
      holds: (spec) => present(spec).length !== 1 || spec[BLOCK_OF[typeOf(spec)]] !== undefined,
      cel: `${count} != 1 || ${matches.join(" && ")}`,
      message: `${typeField} '{}' needs the block of the same name: set it, or change ${typeField}`,
      offender: { of: typeOf, cel: `self.${typeField}` },
    },
  ];
}
