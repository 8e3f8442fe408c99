import { dns1035LabelErrors, dns1123SubdomainErrors } from "../crd/names.ts";

export type NameRule = "subdomain" | "label" | "dns1035" | "path-segment";

/** Why a text is no name for an object of a kind. */
export function nameErrors(rule: NameRule, name: string): string[] {
  switch (rule) {
    case "subdomain":
      return dns1123SubdomainErrors(name);
    case "label":
      return dns1123LabelErrors(name);
    case "dns1035":
      return dns1035LabelErrors(name);
    case "path-segment":
      return pathSegmentErrors(name);
  }
}

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const IS_LABEL = new RegExp(`^${LABEL}$`);

export function dns1123LabelErrors(text: string): string[] {
  return [
    ...(text.length > 63 ? ["must be no more than 63 characters"] : []),
    ...(IS_LABEL.test(text)
      ? []
      : [
          "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end " +
            `with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`,
        ]),
  ];
}

function pathSegmentErrors(text: string): string[] {
  if (text === "." || text === "..") return [`may not be '${text}'`];
  return ["/", "%"].filter((part) => text.includes(part)).map((part) => `may not contain '${part}'`);
}

const QUALIFIED_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const IS_QUALIFIED_NAME = new RegExp(`^${QUALIFIED_NAME}$`);

/** Why a text is no key of a label or an annotation. */
export function qualifiedNameErrors(text: string): string[] {
  const parts = text.split("/");
  if (parts.length > 2) {
    return [
      "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
        "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
        `'${QUALIFIED_NAME}') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1) ?? "";
  const prefix = parts.length === 2 ? (parts[0] ?? "") : undefined;
  return [...(prefix === undefined ? [] : prefixErrors(prefix)), ...namePartErrors(name)];
}

function prefixErrors(prefix: string): string[] {
  if (prefix === "") return ["prefix part must be non-empty"];
  return dns1123SubdomainErrors(prefix).map((error) => `prefix part ${error}`);
}

function namePartErrors(name: string): string[] {
  return [
    ...(name === "" ? ["name part must be non-empty"] : []),
    ...(name.length > 63 ? ["name part must be no more than 63 characters"] : []),
    ...(IS_QUALIFIED_NAME.test(name)
      ? []
      : [
          "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
            "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
            `'${QUALIFIED_NAME}')`,
        ]),
  ];
}

const LABEL_VALUE = `(${QUALIFIED_NAME})?`;
const IS_LABEL_VALUE = new RegExp(`^${LABEL_VALUE}$`);

export function labelValueErrors(text: string): string[] {
  return [
    ...(text.length > 63 ? ["must be no more than 63 characters"] : []),
    ...(IS_LABEL_VALUE.test(text)
      ? []
      : [
          "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start " +
            "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for " +
            `validation is '${LABEL_VALUE}')`,
        ]),
  ];
}
