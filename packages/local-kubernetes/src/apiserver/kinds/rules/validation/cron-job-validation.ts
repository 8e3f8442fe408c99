import { type Cause, invalid, notSupported, required } from "../../../crd/cause.ts";
import { type JsonObject, type KubeObject, objectIn, textIn } from "../../../kube-object.ts";
import { scheduleError } from "./cron-schedule.ts";
import { jobSpecCauses } from "./job-validation.ts";
import { negativeCauses } from "./number-validation.ts";
import { oneOf } from "./pod-validation.ts";

/** The names of its Jobs are eleven characters longer, and must fit into a label. */
const LONGEST_NAME = 52;

/** What is wrong with a CronJob, apart from what is wrong with any object's metadata. */
export function cronJobCauses(cronJob: KubeObject, isNew: boolean): Cause[] {
  const spec = objectIn(cronJob, "spec");
  return [
    ...scheduleCauses(textIn(spec, "schedule")),
    ...negativeCauses(spec, "spec", ["startingDeadlineSeconds"]),
    ...timeZoneCauses(spec),
    ...oneOf("spec.concurrencyPolicy", spec.concurrencyPolicy, ["Allow", "Forbid", "Replace"]),
    ...templateCauses(objectIn(spec, "jobTemplate", "spec")),
    ...negativeCauses(spec, "spec", ["successfulJobsHistoryLimit", "failedJobsHistoryLimit"]),
    ...(isNew ? nameCauses(cronJob) : []),
  ];
}

function scheduleCauses(schedule: string): Cause[] {
  if (schedule === "") return [required("spec.schedule")];
  if (schedule.includes("TZ")) {
    return [invalid("spec.schedule", schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")];
  }
  const error = scheduleError(schedule);
  return error ? [invalid("spec.schedule", schedule, error)] : [];
}

function timeZoneCauses({ timeZone }: JsonObject): Cause[] {
  if (timeZone === undefined) return [];
  const name = String(timeZone);
  const error = timeZoneError(name);
  return error ? [invalid("spec.timeZone", name, error)] : [];
}

function timeZoneError(name: string): string | undefined {
  if (name === "") return "timeZone must be nil or non-empty string";
  if (name.toLowerCase() === "local") {
    return "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
  }
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return undefined;
  } catch {
    return `unknown time zone ${name}`;
  }
}

function templateCauses(spec: JsonObject): Cause[] {
  const path = "spec.jobTemplate.spec";
  return [
    ...jobSpecCauses(spec, path),
    ...(spec.selector === undefined
      ? []
      : [invalid(`${path}.selector`, spec.selector, "`selector` will be auto-generated")]),
    ...(spec.manualSelector === true ? [notSupported(`${path}.manualSelector`, true, ["nil", "false"])] : []),
  ];
}

function nameCauses({ metadata }: KubeObject): Cause[] {
  const { name = "" } = metadata;
  if (name.length <= LONGEST_NAME) return [];
  return [invalid("metadata.name", name, `must be no more than ${LONGEST_NAME} characters`)];
}
