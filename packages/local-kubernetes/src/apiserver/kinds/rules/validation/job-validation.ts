import { type Cause, invalid, required } from "../../../crd/cause.ts";
import { isObject, type JsonObject, type KubeObject, objectIn, sameJson } from "../../../kube-object.ts";
import { negativeCauses } from "./number-validation.ts";
import { oneOf, podSpecCauses } from "./pod-validation.ts";
import { selectorCauses } from "./selector-validation.ts";
import { endingPodCauses, templateMetadataCauses, unfitCauses } from "./template-validation.ts";

const COUNTS = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
  "maxFailedIndexes",
];
/** So many pods may be counted in one object. */
const MOST_INDEXES = 100_000;

/** What is wrong with a Job, apart from its metadata. */
export function jobCauses(job: KubeObject): Cause[] {
  const spec = objectIn(job, "spec");
  return [...jobSpecCauses(spec, "spec"), ...generatedCauses(job, spec), ...jobSelectorCauses(spec)];
}

/** What is wrong with the spec of a Job, also of one that is a template yet. */
export function jobSpecCauses(spec: JsonObject, path: string): Cause[] {
  const pod = objectIn(spec, "template", "spec");
  const podPath = `${path}.template.spec`;
  return [
    ...negativeCauses(spec, path, COUNTS),
    ...oneOf(`${path}.completionMode`, spec.completionMode, ["NonIndexed", "Indexed"]),
    ...(spec.completionMode === "Indexed" ? indexedCauses(spec, path) : unindexedCauses(spec, path)),
    ...oneOf(`${path}.podReplacementPolicy`, spec.podReplacementPolicy, ["Failed", "TerminatingOrFailed"]),
    ...managedByCauses(spec, path),
    ...templateMetadataCauses(objectIn(spec, "template"), `${path}.template`),
    ...podSpecCauses(pod, podPath),
    ...endingPodCauses(pod, podPath),
    ...(spec.podFailurePolicy !== undefined && pod.restartPolicy === "OnFailure"
      ? [
          invalid(
            `${podPath}.restartPolicy`,
            "OnFailure",
            'only "Never" is supported when podFailurePolicy is specified',
          ),
        ]
      : []),
  ];
}

/** What a running Job may not change. */
export function jobUpdateCauses(job: KubeObject, old: KubeObject): Cause[] {
  const [spec, before] = [objectIn(job, "spec"), objectIn(old, "spec")];
  // The number of an indexed Job may move together with its parallelism.
  const isElastic = spec.completionMode === "Indexed" && spec.completions === spec.parallelism;
  const fixed = ["completionMode", "selector", "template", "backoffLimitPerIndex", "managedBy"];
  return [...(isElastic ? [] : ["completions"]), ...fixed]
    .filter((field) => !sameJson(spec[field], before[field]) && !mayChange(field, spec, before, old))
    .map((field) => invalid(`spec.${field}`, spec[field], "field is immutable"));
}

/** Where its pods may run can still be said while a Job is suspended and has not started any. */
function mayChange(field: string, spec: JsonObject, before: JsonObject, old: KubeObject): boolean {
  if (field !== "template" || before.suspend !== true || objectIn(old, "status").startTime !== undefined) return false;
  const placed = ["nodeSelector", "affinity", "tolerations", "schedulingGates"];
  const without = (job: JsonObject) => {
    const { metadata, spec: pod } = objectIn(job, "template");
    const rest = Object.entries(isObject(pod) ? pod : {}).filter(([key]) => !placed.includes(key));
    const { labels: _, annotations: __, ...others } = isObject(metadata) ? metadata : {};
    return [others, Object.fromEntries(rest)];
  };
  return sameJson(without(spec), without(before));
}

function indexedCauses({ completions, parallelism }: JsonObject, path: string): Cause[] {
  const isTooMuch = typeof parallelism === "number" && parallelism > MOST_INDEXES;
  return [
    ...(completions === undefined ? [required(`${path}.completions`, "when completion mode is Indexed")] : []),
    ...(isTooMuch
      ? [
          invalid(
            `${path}.parallelism`,
            parallelism,
            `must be less than or equal to ${MOST_INDEXES} when completion mode is Indexed`,
          ),
        ]
      : []),
  ];
}

function unindexedCauses({ backoffLimitPerIndex, maxFailedIndexes }: JsonObject, path: string): Cause[] {
  const message = "requires indexed completion mode";
  return [
    ...(maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined
      ? [required(`${path}.backoffLimitPerIndex`, "when maxFailedIndexes is specified")]
      : []),
    ...(backoffLimitPerIndex === undefined
      ? []
      : [invalid(`${path}.backoffLimitPerIndex`, backoffLimitPerIndex, message)]),
    ...(maxFailedIndexes === undefined ? [] : [invalid(`${path}.maxFailedIndexes`, maxFailedIndexes, message)]),
  ];
}

function managedByCauses({ managedBy }: JsonObject, path: string): Cause[] {
  if (managedBy === undefined || /^[^/]+\/.+$/.test(String(managedBy))) return [];
  return [invalid(`${path}.managedBy`, managedBy, 'must be a domain-prefixed path (such as "acme.io/foo")')];
}

/** What the API server itself has put on the template, and clients must not change. */
function generatedCauses({ metadata }: KubeObject, spec: JsonObject): Cause[] {
  if (spec.manualSelector === true) return [];
  const { uid = "", name = "" } = metadata;
  const labels = objectIn(spec, "template", "metadata", "labels");
  const expected = [
    ["batch.kubernetes.io/controller-uid", uid],
    ["controller-uid", uid],
    ["batch.kubernetes.io/job-name", name],
    ["job-name", name],
  ] as const;
  // That there is none at all has been said.
  if (!isObject(spec.selector)) return [];
  const wrong = expected.filter(([key, value]) => labels[key] !== value);
  const selected = objectIn(spec, "selector");
  const generated = { matchLabels: { "batch.kubernetes.io/controller-uid": uid } };
  const legacy = { matchLabels: { "controller-uid": uid } };
  const isOwn = sameJson(selected, generated) || sameJson(selected, legacy);
  return [
    ...wrong.map(([key, value]) => invalid(`spec.template.metadata.labels[${key}]`, labels, `must be '${value}'`)),
    ...(isOwn ? [] : [invalid("spec.selector", selected, "`selector` not auto-generated")]),
  ];
}

function jobSelectorCauses(spec: JsonObject): Cause[] {
  if (!isObject(spec.selector)) return [required("spec.selector"), ...unfitCauses({ ...spec, selector: NOTHING })];
  return [...selectorCauses(spec.selector, "spec.selector"), ...unfitCauses(spec)];
}

const NOTHING = { matchExpressions: [{ key: "none", operator: "Exists" }] };
