import { type JsonObject, listIn, objectIn, ownValue } from "../kube-object.ts";

/** Whether a LabelSelector of an object, with matchLabels and matchExpressions, finds these labels. An empty one finds all. */
export function matchesSelector(selector: JsonObject, labels: Readonly<Record<string, string>>): boolean {
  const wanted = Object.entries(objectIn(selector, "matchLabels"));
  return (
    wanted.every(([key, value]) => labels[key] === value) &&
    listIn(selector, "matchExpressions").every((expression) => matchesExpression(expression, labels))
  );
}

function matchesExpression({ key, operator, values }: JsonObject, labels: Readonly<Record<string, string>>): boolean {
  const value = ownValue(labels, String(key));
  const isIn = value !== undefined && Array.isArray(values) && values.includes(value);
  switch (operator) {
    case "In":
      return isIn;
    case "NotIn":
      return !isIn;
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return false;
  }
}
