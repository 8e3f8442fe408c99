import { type Cause, forbidden, invalid, notSupported } from "../../../crd/cause.ts";
import { type JsonObject, objectIn } from "../../../kube-object.ts";

const PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** What is wrong with the way in which a Deployment replaces its pods. */
export function strategyCauses(spec: JsonObject): Cause[] {
  const { type, rollingUpdate } = objectIn(spec, "strategy");
  if (type === "Recreate") {
    const message = "may not be specified when strategy `type` is 'Recreate'";
    return rollingUpdate === undefined ? [] : [forbidden("spec.strategy.rollingUpdate", message)];
  }
  if (type !== "RollingUpdate") {
    const shown = { Type: type, RollingUpdate: rollingUpdate ?? null };
    return [notSupported("spec.strategy", shown, ["Recreate", "RollingUpdate"])];
  }
  return rollingCauses(objectIn(spec, "strategy", "rollingUpdate"), "spec.strategy.rollingUpdate");
}

function rollingCauses({ maxSurge, maxUnavailable }: JsonObject, path: string): Cause[] {
  const isZero = (value: unknown) => value === 0 || (typeof value === "string" && Number.parseInt(value, 10) === 0);
  return [
    ...portionCauses(maxUnavailable, `${path}.maxUnavailable`),
    ...portionCauses(maxSurge, `${path}.maxSurge`),
    ...(isZero(maxSurge) && isZero(maxUnavailable)
      ? [invalid(`${path}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0")]
      : []),
    ...(typeof maxUnavailable === "string" && Number.parseInt(maxUnavailable, 10) > 100
      ? [invalid(`${path}.maxUnavailable`, maxUnavailable, "must not be greater than 100%")]
      : []),
  ];
}

function portionCauses(value: unknown, path: string): Cause[] {
  if (typeof value === "string" && !/^[0-9]+%$/.test(value)) return [invalid(path, value, PERCENT)];
  const isNegative = typeof value === "number" && value < 0;
  return isNegative ? [invalid(path, value, "must be greater than or equal to 0")] : [];
}
