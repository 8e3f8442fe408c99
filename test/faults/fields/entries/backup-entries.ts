import { CLUSTER } from "../../workloads/stage.ts";
import { refused, reported, works } from "../field-value.ts";
import type { Entries } from "./entry.ts";
import { S3_BLOCK, storeEntries } from "./store-entries.ts";

/** What every backup has to begin with. */
export const BACKUP_SPEC = { etcdCluster: { name: CLUSTER }, storageType: "S3", s3: S3_BLOCK };

/** Where the first pod of a world is. */
const MEMBER = "http://10.244.0.3:2379";
const UNREACHABLE = "http://10.244.9.9:2379";
/** Of the two ways to say what is backed up, there is one. */
const BY_ENDPOINT = { etcdCluster: undefined };
const DAILY = "0 3 * * *";
const INTERVAL = { "backupPolicy.backupIntervalInSecond": 300 };

const schedules = {
  but: { empty: "refused", longest: "refused" },
  also: [
    works("usual", DAILY),
    works("word", "@weekly"),
    reported("no-minute", "61 * * * *", /schedule/i),
    reported("never", "0 0 31 2 *", /schedule/i),
    refused("words", "every day"),
    refused("six-fields", "0 0 3 * * *"),
  ],
} as const;

/** Every property of an EtcdBackup's spec. */
export const backupEntries: Entries = {
  ...storeEntries("storageType"),
  etcdEndpoints: {
    along: BY_ENDPOINT,
    but: { empty: "refused" },
    also: [
      works("usual", [MEMBER]),
      works("some", [UNREACHABLE, MEMBER]),
      reported("unreachable", [UNREACHABLE], /10\.244\.9\.9/),
    ],
  },
  "etcdEndpoints[]": {
    along: BY_ENDPOINT,
    but: { empty: "refused", longest: "refused" },
    also: [
      works("usual", MEMBER),
      reported("unreachable", UNREACHABLE, /10\.244\.9\.9/),
      refused("path", `${MEMBER}/v3`),
    ],
  },
  etcdCluster: { also: [refused("absent", undefined)] },
  "etcdCluster.name": {
    but: { longest: { says: /a{200}/ } },
    also: [reported("no-such-cluster", "none-such", /none-such/), refused("capitals", "A")],
  },
  clientTLSSecret: {
    but: { longest: "works" },
    also: [works("usual", "operator"), refused("capitals", "Operator")],
  },
  backupPolicy: {},
  "backupPolicy.timeoutInSecond": { also: [works("usual", 60)] },
  "backupPolicy.backupIntervalInSecond": { also: [works("usual", 300)] },
  "backupPolicy.schedule": schedules,
  "backupPolicy.timeZone": {
    along: { "backupPolicy.schedule": DAILY },
    but: { empty: "refused", longest: { says: /time zone/ } },
    also: [
      works("usual", "Europe/Berlin"),
      reported("no-such-zone", "Mars/Olympus", /Mars/),
      refused("spaces", "Europe Berlin"),
    ],
  },
  "backupPolicy.maxBackups": { along: INTERVAL, also: [works("usual", 2)] },
  "backupPolicy.maxAgeInSecond": { along: INTERVAL, also: [works("usual", 3600)] },
  "backupPolicy.drillSchedule": schedules,
};
