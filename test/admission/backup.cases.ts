import type { KindName } from "@etcd-operator/operator/api/kinds.ts";
import { type AdmissionCase, aBackup, aBackupTo, aRestore, type Refusal, type Resource } from "./admission-case.ts";

const path = "bucket/backup";

export const backupCases: readonly AdmissionCase[] = [
  ...stores("EtcdBackup", aBackup, "storageType"),
  ...stores("EtcdRestore", aRestore, "backupStorageType"),
  ...paths(),
  ...origins(),
  ...rhythms(),
  ...restores(),
];

function allowed(name: string, object: Resource, kind: KindName = "EtcdBackup"): AdmissionCase {
  return { name: `${kind}: ${name}`, kind, object };
}

function refused(name: string, object: Resource, refusal: Refusal, kind: KindName = "EtcdBackup"): AdmissionCase {
  return { ...allowed(name, object, kind), refused: refusal };
}

function stores(kind: KindName, make: (spec: Record<string, unknown>) => Resource, type: string): AdmissionCase[] {
  const only = (spec: Record<string, unknown>) => make({ s3: undefined, ...spec });
  return [
    refused("no store block", only({}), { field: "spec", value: "none of the blocks", remedy: "exactly one" }, kind),
    refused(
      "two store blocks",
      make({ gcs: { path } }),
      { field: "spec", value: "more than one of the blocks", remedy: "exactly one" },
      kind,
    ),
    refused(
      "the block of another type",
      only({ gcs: { path } }),
      { field: "spec", value: "'S3'", remedy: `change ${type}` },
      kind,
    ),
    refused(
      "an unknown type",
      make({ [type]: "FTP" }),
      { field: `spec.${type}`, value: "FTP", remedy: "Volume" },
      kind,
    ),
    refused(
      "ABS without its Secret",
      only({ [type]: "ABS", abs: { path } }),
      { field: "spec.abs.absSecret", value: "", remedy: "equired" },
      kind,
    ),
    allowed("ABS", only({ [type]: "ABS", abs: { path, absSecret: "azure" } }), kind),
    allowed("GCS with default credentials", only({ [type]: "GCS", gcs: { path } }), kind),
    allowed(
      "OSS",
      only({ [type]: "OSS", oss: { path, ossSecret: "oss", endpoint: "oss-cn-hangzhou.aliyuncs.com" } }),
      kind,
    ),
    allowed("a volume", only({ [type]: "Volume", volume: { claimName: "backups", path: "nightly" } }), kind),
    allowed(
      "S3 with the pod's role",
      make({ s3: { path, endpoint: "http://minio:9000", forcePathStyle: true } }),
      kind,
    ),
  ];
}

function paths(): AdmissionCase[] {
  const refusedPath = (name: string, bad: string, remedy: string, value = bad) =>
    refused(`a path with ${name}`, aBackupTo(bad), { field: "spec.s3.path", value, remedy });
  const volume = (inside: string) =>
    aBackup({ s3: undefined, storageType: "Volume", volume: { claimName: "c", path: inside } });
  return [
    refusedPath("..", "bucket/../other", "without it"),
    refusedPath("a leading slash", "/bucket/backup", "write it without"),
    refusedPath("a backslash", "bucket\\backup", "separate the parts", "bucket"),
    refusedPath("a control character", "bucket/a\u0007b", "remove it", "bucket/a"),
    refusedPath("a line break", "bucket/a\nb", "remove it", String.raw`bucket/a\nb`),
    refusedPath("a C1 control character", "bucket/a\u0085b", "remove it", "bucket/a"),
    refusedPath("a part that is a dot", "bucket/./x", "without it"),
    refusedPath("a scheme", "s3://bucket/backup", "'<bucket>/<key>'"),
    refusedPath("an encoded dot", "bucket/%2E%2e/x", "unencoded"),
    refusedPath("no key", "bucket", "'<bucket>/<key>'"),
    refusedPath("an empty key", "bucket/", "'<bucket>/<key>'"),
    refused("a volume path with ..", volume("../other"), {
      field: "spec.volume.path",
      value: "../other",
      remedy: "without it",
    }),
    refused("a volume path that is a dot", volume("."), {
      field: "spec.volume.path",
      value: ".",
      remedy: "without it",
    }),
    refused("a volume path that is a folder", volume("nightly/"), {
      field: "spec.volume.path",
      value: "nightly/",
      remedy: "name of the backup",
    }),
    allowed("a deep path with odd characters", aBackupTo("my.bucket/a b/ü=1,2/etcd.backup")),
    allowed("a volume path in a folder", volume("etcd/nightly")),
  ];
}

function origins(): AdmissionCase[] {
  const none = { etcdEndpoints: undefined };
  return [
    refused("neither endpoints nor cluster", aBackup(none), {
      field: "spec",
      value: "none of etcdEndpoints",
      remedy: "exactly one",
    }),
    refused("empty endpoints", aBackup({ etcdEndpoints: [] }), {
      field: "spec",
      value: "none of etcdEndpoints",
      remedy: "exactly one",
    }),
    refused("endpoints and cluster", aBackup({ etcdCluster: { name: "example" } }), {
      field: "spec",
      value: "both of etcdEndpoints",
      remedy: "exactly one",
    }),
    refused("an endpoint with a path", aBackup({ etcdEndpoints: ["http://a:2379/v3"] }), {
      field: "spec.etcdEndpoints[0]",
      value: "http://a:2379/v3",
      remedy: "'host:port'",
    }),
    ...["http://:", "a:b:c?x#y", "a:2379,b:2379", "no-port", "http://a b:2379", "http://user@a:2379"].map((endpoint) =>
      refused(`endpoint ${endpoint}`, aBackup({ etcdEndpoints: [endpoint] }), {
        field: "spec.etcdEndpoints[0]",
        value: endpoint,
        remedy: "'host:port'",
      }),
    ),
    allowed("a bare host:port", aBackup({ etcdEndpoints: ["example-client:2379", "10.0.0.1:2379", "[fd00::1]:2379"] })),
    allowed(
      "URLs",
      aBackup({ etcdEndpoints: ["http://a:2379", "https://b.c.svc:2379/"], clientTLSSecret: "client-tls" }),
    ),
    allowed("a cluster", aBackup({ ...none, etcdCluster: { name: "example" } })),
  ];
}

function rhythms(): AdmissionCase[] {
  const policy = (backupPolicy: Record<string, unknown>) => aBackup({ backupPolicy });
  const at = "spec.backupPolicy";
  const negatives = ["timeoutInSecond", "backupIntervalInSecond", "maxBackups", "maxAgeInSecond"];
  const badCron = (schedule: string, inCodeOnly?: true) =>
    refused(`schedule ${schedule}`, policy({ schedule }), {
      field: `${at}.schedule`,
      value: schedule,
      remedy: "five fields",
      ...(inCodeOnly && { inCodeOnly }),
    });
  return [
    ...negatives.map((field) =>
      refused(`a negative ${field}`, policy({ [field]: -1 }), { field: `${at}.${field}`, value: "-1", remedy: "0" }),
    ),
    refused("a timeout of more than 6 hours", policy({ timeoutInSecond: 21_601 }), {
      field: `${at}.timeoutInSecond`,
      value: "21601",
      remedy: "21600 (6 hours) or less",
    }),
    allowed("a timeout of 6 hours", policy({ timeoutInSecond: 21_600 })),
    {
      ...allowed("a timeout of a day, on one that was stored before", {
        ...policy({ timeoutInSecond: 86_400, maxBackups: 3 }),
        status: { succeeded: true },
      }),
      previous: { ...policy({ timeoutInSecond: 86_400 }), status: { succeeded: true } },
      isFromBefore: true,
    },
    badCron("every day"),
    badCron("* * * *"),
    badCron("0 0 0 * * *"),
    badCron("@reboot"),
    badCron("a;b * * * *"),
    badCron("61 * * * *", true),
    badCron("0 0 31 2 *x", true),
    badCron("0 0 31 2 *", true),
    refused("a bad drillSchedule", policy({ drillSchedule: "weekly" }), {
      field: `${at}.drillSchedule`,
      value: "weekly",
      remedy: "@daily",
    }),
    refused("schedule and interval", policy({ schedule: "@daily", backupIntervalInSecond: 60 }), {
      field: at,
      value: "@daily",
      remedy: "keep one",
    }),
    refused("a time zone without a schedule", policy({ timeZone: "UTC" }), {
      field: at,
      value: "UTC",
      remedy: "set schedule",
    }),
    refused("a malformed time zone", policy({ schedule: "@daily", timeZone: "a b" }), {
      field: `${at}.timeZone`,
      value: "a b",
      remedy: "IANA",
    }),
    refused("a time zone that does not exist", policy({ schedule: "@daily", timeZone: "Mars/Base" }), {
      field: `${at}.timeZone`,
      value: "Mars/Base",
      remedy: "IANA",
      inCodeOnly: true,
    }),
    allowed(
      "an interval",
      policy({ backupIntervalInSecond: 125, maxBackups: 4, timeoutInSecond: 60, maxAgeInSecond: 0 }),
    ),
    allowed(
      "a schedule with a zone",
      policy({ schedule: "*/15 2-4 * JAN,MAR mon", timeZone: "America/New_York", drillSchedule: "@weekly" }),
    ),
    allowed("an interval of zero beside a schedule", policy({ backupIntervalInSecond: 0, schedule: "0 3 * * *" })),
  ];
}

function restores(): AdmissionCase[] {
  const longName = "a".repeat(53);
  return [
    refused(
      "a cluster name of 53 characters",
      aRestore({ etcdCluster: { name: longName } }),
      {
        field: "spec.etcdCluster.name",
        value: longName,
        remedy: "at most 52",
      },
      "EtcdRestore",
    ),
    refused(
      "a template with a bad version",
      aRestore({ clusterTemplate: { spec: { size: 3, version: "3.5.1" } } }),
      {
        field: "spec.clusterTemplate.spec.version",
        value: "3.5.1",
        remedy: "3.5.3 or newer",
      },
      "EtcdRestore",
    ),
    refused(
      "a template without a size",
      aRestore({ clusterTemplate: { spec: {} } }),
      {
        field: "spec.clusterTemplate.spec.size",
        value: "",
        remedy: "equired",
      },
      "EtcdRestore",
    ),
    allowed("a template", aRestore({ clusterTemplate: { spec: { size: 3, version: "3.5.16" } } }), "EtcdRestore"),
    ...forgedTemplates(),
    refused(
      "a bump after which no backup could be read",
      aRestore({ revisionBump: 1_000_000_000_001 }),
      { field: "spec.revisionBump", value: "1000000000001", remedy: "1000000000000" },
      "EtcdRestore",
    ),
    allowed("the largest bump", aRestore({ revisionBump: 1_000_000_000_000 }), "EtcdRestore"),
  ];
}

function forgedTemplates(): AdmissionCase[] {
  const template = (metadata: object, pod: object) =>
    aRestore({ clusterTemplate: { metadata, spec: { size: 3, version: "3.5.16", pod } } });
  const forged = (key: string) => ({ [`etcd.database.coreos.com/${key}`]: "x" });
  const refusedAt = (field: string, key: string, object: Resource) => {
    const value = `etcd.database.coreos.com/${key}`;
    const refusal = { field: `spec.clusterTemplate.${field}`, value, remedy: "remove it" };
    return refused(`a template with ${key} in its ${field}`, object, refusal, "EtcdRestore");
  };
  return [
    refusedAt("metadata.annotations", "restore", template({ annotations: forged("restore") }, {})),
    refusedAt("metadata.labels", "anything", template({ labels: forged("anything") }, {})),
    refusedAt("spec.pod.annotations", "member-id", template({}, { annotations: forged("member-id") })),
    refusedAt("spec.pod.labels", "owner-uid", template({}, { labels: forged("owner-uid") })),
    allowed(
      "a template with a scope and keys of one's own",
      template({ annotations: { ...forged("scope"), note: "b" }, labels: { team: "a" } }, { labels: { team: "a" } }),
      "EtcdRestore",
    ),
  ];
}
