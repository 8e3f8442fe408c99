import { parseQuantity } from "@etcd-operator/operator/api/schema/quantity.ts";
import type { Pod, ResourceRequirements, Toleration } from "kubernetes-types/core/v1.d.ts";
import type { Answered, Ask, Asked } from "../../world/in-process-carrier.ts";

/**
 * Stands before an API server that takes pods more easily than Kubernetes does: what that refuses is refused here, in
 * its words.
 */
export function strictAboutPods(ask: Ask): Ask {
  return async (asked) => {
    const problems = ABOUT_PODS.test(`${asked.method} ${asked.path}`) ? problemsOf(podIn(asked)) : [];
    return problems.length > 0 ? refusal(podIn(asked), problems) : ask(asked);
  };
}

// Of a patch only what it changes is checked.
const ABOUT_PODS = /^(POST|PATCH) \/api\/v1\/namespaces\/[^/]+\/pods(\/[^/]+)?(\?|$)/;

function podIn({ body }: Asked): Pod {
  return JSON.parse(body ?? "{}") as Pod;
}

const LABEL_KEY = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9])?$/;
const OPERATORS = ["", "Equal", "Exists"];
const EFFECTS = ["", "NoSchedule", "PreferNoSchedule", "NoExecute"];
const MOST_ANNOTATION_BYTES = 256 * 1024;

/** What Kubernetes finds wrong with a pod, as far as values here are about. */
export function problemsOf({ metadata, spec }: Pod): readonly string[] {
  const annotations = Object.entries(metadata?.annotations ?? {})
    .flat()
    .join("");
  const { runAsUser = 0 } = spec?.securityContext ?? {};
  return [
    ...unless(
      Buffer.byteLength(annotations) <= MOST_ANNOTATION_BYTES,
      `metadata.annotations: Too long: may not be more than ${MOST_ANNOTATION_BYTES} bytes`,
    ),
    ...unless(
      runAsUser >= 0,
      `spec.securityContext.runAsUser: Invalid value: ${runAsUser}: must be between 0 and 2147483647, inclusive`,
    ),
    ...Object.entries(spec?.nodeSelector ?? {}).flatMap(([key, value]) => [
      ...unless(LABEL_KEY.test(key), `spec.nodeSelector: Invalid value: "${key}": name part must consist of …`),
      ...unless(LABEL_VALUE.test(value), `spec.nodeSelector: Invalid value: "${value}": a valid label must be …`),
    ]),
    ...(spec?.tolerations ?? []).flatMap((toleration, at) => wrongToleration(toleration, `spec.tolerations[${at}]`)),
    ...(spec?.topologySpreadConstraints ?? []).flatMap(({ topologyKey }, at) =>
      unless(topologyKey, `spec.topologySpreadConstraints[${at}].topologyKey: Required value: can not be empty`),
    ),
    ...(spec?.containers ?? []).flatMap(({ resources }, at) =>
      wrongResources(resources, `spec.containers[${at}].resources`),
    ),
    ...(spec?.containers ?? []).flatMap(({ env = [] }, container) =>
      env.flatMap(({ name, value, valueFrom }, at) => {
        const path = `spec.containers[${container}].env[${at}]`;
        const sources = valueFrom === undefined ? 1 : Object.keys(valueFrom).length;
        return [
          ...unless(
            /^[^=]+$/.test(name),
            `${path}.name: Invalid value: "${name}": a valid environment variable name …`,
          ),
          ...unless(sources === 1, `${path}.valueFrom: Invalid value: "": must specify one of: \`fieldRef\`, …`),
          ...unless(
            !value || !valueFrom,
            `${path}.valueFrom: Invalid value: "": may not be specified when \`value\` is …`,
          ),
        ];
      }),
    ),
  ];
}

function wrongResources({ requests = {}, limits = {} }: ResourceRequirements = {}, path: string): readonly string[] {
  const amount = (quantity: string | undefined) => parseQuantity(quantity ?? "") ?? 0;
  return Object.entries(requests).flatMap(([resource, quantity]) => [
    ...unless(
      amount(quantity) >= 0,
      `${path}.requests[${resource}]: Invalid value: "${quantity}": must be greater than or equal to 0`,
    ),
    ...unless(
      limits[resource] === undefined || amount(quantity) <= amount(limits[resource]),
      `${path}.requests: Invalid value: "${quantity}": must be less than or equal to ${resource} limit of ${limits[resource]}`,
    ),
  ]);
}

function wrongToleration(toleration: Toleration, path: string): readonly string[] {
  const { key = "", operator = "", value = "", effect = "", tolerationSeconds } = toleration;
  const isOfKey = key === "" ? operator === "Exists" : LABEL_KEY.test(key);
  const isOfValue = operator === "Exists" ? value === "" : LABEL_VALUE.test(value);
  return [
    ...unless(isOfKey, `${path}.key: Invalid value: "${key}": name part must consist of …`),
    ...unless(OPERATORS.includes(operator), `${path}.operator: Unsupported value: "${operator}": supported values: …`),
    ...unless(isOfValue, `${path}.value: Invalid value: "${value}": a valid label must be …`),
    ...unless(EFFECTS.includes(effect), `${path}.effect: Unsupported value: "${effect}": supported values: …`),
    ...unless(
      tolerationSeconds === undefined || effect === "NoExecute",
      `${path}.effect: Invalid value: "${effect}": effect must be 'NoExecute' when \`tolerationSeconds\` is set`,
    ),
  ];
}

function unless(holds: unknown, problem: string): readonly string[] {
  return holds ? [] : [problem];
}

function refusal({ metadata }: Pod, problems: readonly string[]): Answered {
  const message = `Pod "${metadata?.name}" is invalid: ${problems.join(", ")}`;
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", message, reason: "Invalid", code: 422 };
  const body = async function* () {
    yield Buffer.from(JSON.stringify(status));
  };
  return { statusCode: 422, headers: { "content-type": "application/json" }, body: body() };
}
