import { isDeepStrictEqual } from "node:util";
import type { Compared, Difference } from "./compare.ts";
import { NO_ANSWER } from "./session.ts";

/** A difference that stays, and why; docs/development/conformance.md shows the list. */
export interface Accepted {
  readonly name: string;
  readonly reason: string;
  matches(difference: Difference, compared: Compared): boolean;
}

/** As short as it can be: everything else is to be fixed. */
export const ACCEPTED: readonly Accepted[] = [
  {
    name: "descriptions of columns",
    reason: "Texts of the Kubernetes documentation, which nobody sees in a table.",
    matches: ({ at }) => /^body(\[\d+\]\.object)?\.columnDefinitions\[\d+\]\.description$/.test(at),
  },
  {
    name: "Go's way to print a value",
    reason: "A refusal quotes whole structs with the names that their fields have in Go; ours quotes the JSON.",
    matches: textsOf((real, local) => isQuoted(real) && isQuoted(local) && tailOf(real) === tailOf(local)),
  },
  {
    name: "what an immutable spec was changed in",
    reason: "The real server adds a diff of Go structs to the refusal.",
    matches: textsOf((real, local) => real.startsWith(`${local}\n@@ -`) || real.startsWith(`${local}\n {`)),
  },
  {
    name: "Go's names of string types",
    reason:
      "A text of the wrong type is refused by both; Go has a type of its own for some of them, such as v1.SecretType.",
    matches: textsOf((real, local) => real !== local && real.replace(/ of type v1\.\w+$/, " of type string") === local),
  },
  {
    name: "managed fields of what does not fit its schema",
    reason:
      "The real server loses them when a status that it ignores does not fit, and calls the manager before-first-apply.",
    matches: ({ at, real, local }, { request }) =>
      /\.metadata\.managedFields(\[\d+\]\.manager)?$/.test(at) &&
      /\.example\.com\//.test(request.path) &&
      ((real === undefined && local !== undefined) || (real === "before-first-apply" && local === "unknown")),
  },
  {
    name: "managed fields of a TokenRequest",
    reason: "It is never stored, so that nobody manages it; the real server tells who asked.",
    matches: ({ at, local }, { request }) =>
      at === "body.metadata.managedFields" && local === undefined && /\/token(\?|$)/.test(request.path),
  },
  {
    name: "words of the YAML parser",
    reason: "Another parser: both refuse, and say at which step.",
    matches: textsOf((real, local) => {
      const [one, other] = [real, local].map((text) => text.search(/\byaml: /));
      return one !== undefined && one >= 0 && one === other && real.slice(0, one) === local.slice(0, one);
    }),
  },
  {
    name: "words of CEL's compiler",
    reason: "Another compiler: the place is the same, the words may differ, and it stops at the first mistake (0009).",
    matches: textsOf((real, local) => /compilation failed: /.test(real) && /compilation failed: /.test(local)),
  },
  {
    name: "cost of CEL rules",
    reason: "There is no budget here: a CRD whose rules are too expensive is accepted, or refused for the rest (0009).",
    matches: ({ at, real, local }, { real: said }) =>
      (at === "code" && JSON.stringify(real).startsWith("[422") && isCostly(JSON.stringify(said.body))) ||
      (at === "body.details.causes" && isDeepStrictEqual(withoutCosts(real), local)) ||
      (at === "body.message" && String(real).endsWith(" is invalid: <causes>") && isCostly(JSON.stringify(said.body))),
  },
  {
    name: "strategic merge patch with a value of the wrong type",
    reason: "Refused by both, with 422 at `patch`; Go tells it by the names of its own types.",
    matches: ({ at, real, local }, { request }) =>
      request.contentType === "application/strategic-merge-patch+json" &&
      /^body\.(message|details\.causes\[0\]\.message)$/.test(at) &&
      /cannot (restore|convert|unmarshal) |unrecognized type: |quantities must|parsing time|illegal base64/.test(
        String(real),
      ) &&
      /cannot unmarshal |quantities must|parsing time|illegal base64/.test(String(local)),
  },
  {
    name: "what else is wrong with an object of another kind",
    reason: "Refused by both, for its kind; the real server goes on to validate it as if it were of the right one.",
    matches: ({ at, real, local }) =>
      at === "body.details.causes" &&
      Array.isArray(real) &&
      Array.isArray(local) &&
      local.length === 1 &&
      /^Invalid value: "\w+": must be \w+$/.test(String(local[0]?.message)) &&
      local[0]?.field === "kind" &&
      real.some((cause) => isDeepStrictEqual(cause, local[0])),
  },
  {
    name: "status of a Service that is not there",
    reason: "The real server takes it for a new Service, and makes one that has no address.",
    matches: ({ at, local }, { request }) =>
      at === "code" &&
      request.method === "PUT" &&
      /\/services\/[^/]+\/status(\?|$)/.test(request.path) &&
      JSON.stringify(local).startsWith("[404"),
  },
  {
    name: "a JSON patch that the real server breaks off at",
    reason: "Its library panics where a path leads through a null, and the connection ends without an answer.",
    matches: ({ at }, { request, real, local }) =>
      at === "code" && real.code === NO_ANSWER && local.code === 422 && request.contentType === JSON_PATCH,
  },
];

const JSON_PATCH = "application/json-patch+json";

function isCostly(text: string): boolean {
  return /exceeds budget|exceeding cost limit/.test(text);
}

function withoutCosts(causes: unknown): unknown {
  return Array.isArray(causes)
    ? causes.filter(({ message }: { message?: unknown }) => !isCostly(String(message)))
    : causes;
}

/** Matches the messages of a refusal. */
function textsOf(isSame: (real: string, local: string) => boolean): Accepted["matches"] {
  return ({ at, real, local }) =>
    /^body(\.details\.causes\[\d+\])?\.message$/.test(at) &&
    typeof real === "string" &&
    typeof local === "string" &&
    isSame(real, local);
}

function isQuoted(message: string): boolean {
  return /(Invalid|Duplicate) value: [{[]/.test(message);
}

/** What stands behind the quoted value. */
function tailOf(message: string): string {
  const end = message.search(/[}\]]: [^"]*$/);
  return end < 0 ? "" : message.slice(end + 1);
}

/** What is left of a comparison without what is accepted; `used` takes note of the entries that were needed. */
export function unexplained(result: Compared, used: Set<string>): Difference[] {
  return result.differences.filter((difference) => {
    const entry = ACCEPTED.find((each) => each.matches(difference, result));
    if (entry) used.add(entry.name);
    return entry === undefined;
  });
}
