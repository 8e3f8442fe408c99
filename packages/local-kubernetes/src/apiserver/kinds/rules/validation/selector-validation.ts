import { type Cause, forbidden, invalid, required } from "../../../crd/cause.ts";
import { type JsonObject, listIn, objectIn } from "../../../kube-object.ts";
import { labelValueErrors, qualifiedNameErrors } from "../../../meta/names.ts";

/** What is wrong with a LabelSelector of an object. */
export function selectorCauses(selector: JsonObject, path: string): Cause[] {
  const pairs = Object.entries(objectIn(selector, "matchLabels"));
  return [
    ...pairs.flatMap(([key, value]) => [
      ...qualifiedNameErrors(key).map((error) => invalid(`${path}.matchLabels`, key, error)),
      ...labelValueErrors(String(value)).map((error) => invalid(`${path}.matchLabels`, value, error)),
    ]),
    ...listIn(selector, "matchExpressions").flatMap((expression, index) =>
      expressionCauses(expression, `${path}.matchExpressions[${index}]`),
    ),
  ];
}

function expressionCauses({ key, operator, values }: JsonObject, path: string): Cause[] {
  const names = qualifiedNameErrors(String(key ?? "")).map((error) => invalid(`${path}.key`, key ?? "", error));
  return [...valuesCauses(operator, Array.isArray(values) ? values : [], path), ...names];
}

function valuesCauses(operator: unknown, values: readonly unknown[], path: string): Cause[] {
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length > 0
        ? []
        : [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      return values.length === 0
        ? []
        : [forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      return [invalid(`${path}.operator`, operator ?? "", "not a valid selector operator")];
  }
}
