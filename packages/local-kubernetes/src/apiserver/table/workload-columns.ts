import { humanDuration } from "../crd/human-duration.ts";
import { type JsonObject, type KubeObject, listIn, numberIn, objectIn, textIn } from "../kube-object.ts";
import { ageColumn, ageOf, type Column, column, nameColumn, wide } from "./column.ts";

export const deploymentColumns = [
  nameColumn,
  column("Ready", (object) => `${numberIn(object, "status", "readyReplicas")}/${numberIn(object, "spec", "replicas")}`),
  column("Up-to-date", (object) => numberIn(object, "status", "updatedReplicas")),
  column("Available", (object) => numberIn(object, "status", "availableReplicas")),
  ageColumn,
  ...templateColumns(),
  selectorColumn(),
];

export const replicaSetColumns = [
  nameColumn,
  column("Desired", (object) => numberIn(object, "spec", "replicas"), "integer"),
  column("Current", (object) => numberIn(object, "status", "replicas"), "integer"),
  column("Ready", (object) => numberIn(object, "status", "readyReplicas"), "integer"),
  ageColumn,
  ...templateColumns(),
  selectorColumn(),
];

export const jobColumns = [
  nameColumn,
  column("Status", jobStatus),
  column("Completions", completions),
  column("Duration", jobDuration),
  ageColumn,
  ...templateColumns(),
  selectorColumn(),
];

export const cronJobColumns = [
  nameColumn,
  column("Schedule", (object) => textIn(object, "spec", "schedule")),
  column("Timezone", (object) => textIn(object, "spec", "timeZone") || "<none>"),
  column("Suspend", (object) => String(objectIn(object, "spec").suspend === true).replace(/^./, upper), "boolean"),
  column("Active", (object) => listIn(object, "status", "active").length, "integer"),
  column("Last Schedule", (object, now) => {
    const last = textIn(object, "status", "lastScheduleTime");
    return last === "" ? "<none>" : ageOf(last, now);
  }),
  ageColumn,
  ...templateColumns("spec", "jobTemplate"),
  selectorColumn(),
];

function upper(letter: string): string {
  return letter.toUpperCase();
}

function templateColumns(...path: readonly string[]): Column[] {
  const containers = (object: KubeObject) => listIn(object, ...path, "spec", "template", "spec", "containers");
  return [
    wide("Containers", (object) =>
      containers(object)
        .map(({ name }) => name)
        .join(","),
    ),
    wide("Images", (object) =>
      containers(object)
        .map(({ image }) => image)
        .join(","),
    ),
  ];
}

function selectorColumn(): Column {
  return wide("Selector", (object) => selectorText(objectIn(object, "spec", "selector")));
}

/** A LabelSelector as a list of requirements. */
export function selectorText(selector: JsonObject): string {
  const labels = Object.entries(objectIn(selector, "matchLabels")).map(([key, value]) => `${key}=${value}`);
  const expressions = listIn(selector, "matchExpressions").map(expressionText);
  return [...labels, ...expressions].join(",") || "<none>";
}

function expressionText({ key, operator, values }: JsonObject): string {
  const list = Array.isArray(values) ? `(${values.join(",")})` : "";
  switch (operator) {
    case "In":
      return `${key} in ${list}`;
    case "NotIn":
      return `${key} notin ${list}`;
    case "DoesNotExist":
      return `!${key}`;
    default:
      return String(key);
  }
}

/** Labels as "a=b,c=d". */
export function pairs(labels: JsonObject): string {
  return (
    Object.entries(labels)
      .map(([key, value]) => `${key}=${value}`)
      .join(",") || "<none>"
  );
}

function jobStatus(job: KubeObject): string {
  const has = (wanted: string) =>
    listIn(job, "status", "conditions").some(({ type, status }) => type === wanted && status === "True");
  for (const type of ["Complete", "Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet"])
    if (has(type)) return type;
  return job.metadata.deletionTimestamp ? "Terminating" : "Running";
}

function completions(job: KubeObject): string {
  const succeeded = numberIn(job, "status", "succeeded");
  const { completions, parallelism } = objectIn(job, "spec");
  if (typeof completions === "number") return `${succeeded}/${completions}`;
  return typeof parallelism === "number" && parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: KubeObject, now: Date): string {
  const start = textIn(job, "status", "startTime");
  if (start === "") return "";
  const end = textIn(job, "status", "completionTime");
  return humanDuration((end === "" ? now.getTime() : Date.parse(end)) - Date.parse(start));
}
