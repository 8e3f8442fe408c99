import { badRequest } from "../api-error.ts";
import type { Resource } from "../kinds/resource.ts";
import { type KubeObject, ownValue } from "../kube-object.ts";

export interface FieldSelector {
  matches(object: KubeObject): boolean;
  /** The only name it can find, so that one object is read instead of all. */
  readonly name?: string;
  readonly namespace?: string;
}

/** Reads a selector such as "metadata.name=a,status.phase!=Running". */
export function parseFieldSelector(text: string, resource: Resource): FieldSelector {
  const terms = text
    .split(",")
    .filter(Boolean)
    .map((term) => parseTerm(term, resource));
  const only = (field: string) => terms.find((term) => term.field === field && !term.isNegative)?.value;
  const [name, namespace] = [only("metadata.name"), only("metadata.namespace")];
  return {
    matches: (object) => terms.every(({ get, value, isNegative }) => (get(object) === value) !== isNegative),
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
  };
}

interface Term {
  readonly field: string;
  readonly value: string;
  readonly isNegative: boolean;
  get(object: KubeObject): string;
}

function parseTerm(term: string, resource: Resource): Term {
  const { selectableFields } = resource;
  const match = /^([^=!]+)(==|=|!=)(.*)$/s.exec(term);
  if (!match) throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`);
  const [, field = "", operator, value = ""] = match;
  const get = ownValue(METADATA, field) ?? ownValue(selectableFields, field);
  if (!get) throw badRequest(unknownField(field, resource));
  return { field, value: value.replaceAll(/\\([\\,=])/g, "$1"), isNegative: operator === "!=", get };
}

const METADATA: Readonly<Record<string, (object: KubeObject) => string>> = {
  "metadata.name": ({ metadata }) => metadata.name ?? "",
  "metadata.namespace": ({ metadata }) => metadata.namespace ?? "",
};

/** Kinds with selectors of their own have words of their own. */
function unknownField(field: string, { isCustom, kind, selectableFields }: Resource): string {
  if (kind === "Job") return `field label "${field}" not supported for Job`;
  const hasOwn = kind !== "ReplicaSet" && Object.keys(selectableFields).length > 0;
  if (isCustom || hasOwn) return `field label not supported: ${field}`;
  return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}
