import type { Json } from "./request.ts";

/** Fields whose values two servers never share. */
const MASKED: Readonly<Record<string, string>> = {
  uid: "<uid>",
  resourceVersion: "<version>",
  creationTimestamp: "<time>",
  deletionTimestamp: "<time>",
  continue: "<token>",
  token: "<token>",
  time: "<time>",
  expirationTimestamp: "<time>",
};

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "<uid>"],
  [/\b20(2[5-9]|[3-9]\d)-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>"],
  // Service addresses: servers choose them.
  [/\b10\.0\.\d+\.\d+\b/g, "<address>"],
  // Who issues tokens is a flag of the server.
  [/https:\/\/kubernetes\.default\.svc(\.cluster\.local)?/g, "<issuer>"],
  [/\bkube-api-access-[a-z0-9]{5}\b/g, "kube-api-access-<suffix>"],
  [/\bgen-[a-z0-9]{5}\b/g, "gen-<suffix>"],
  [/(resource version: )\d+/g, "$1<version>"],
  [/(ResourceVersion in (?:the )?\w+ \()\d+/gi, "$1<version>"],
  [/(current: )\d+/g, "$1<version>"],
  [/Object 'Kind' is missing in '\{.*\}' \(.*\)/gs, "Object 'Kind' is missing in <object>"],
  // A patch that cannot be read is shown with the whole object, managed fields included.
  [/patch: Invalid value: "\{.*\}": /gs, "patch: Invalid value: <object>: "],
  [/^Invalid value: "\{\\".*metadata.*\}": /gs, "Invalid value: <object>: "],
];

/** An answer without what is different each time: uids, versions, times, names and addresses that the server chose. */
export function masked(value: unknown, namespace: string, key = ""): unknown {
  // Entries of the same time come in no order that could be relied on.
  if (key === "managedFields" && Array.isArray(value)) {
    return sorted(
      value.map((item) => masked(item, namespace) as Json),
      managerOf,
    );
  }
  if (Array.isArray(value)) return value.map((item) => masked(item, namespace, key === "cells" ? "cell" : ""));
  if (typeof value === "object" && value !== null) return maskedObject(value as Json, namespace);
  const mask = MASKED[key];
  if (mask !== undefined && value !== "" && value !== null) return mask;
  if (typeof value !== "string") return value;
  if (key === "cell" && /^(\d+[smhd])+$/.test(value)) return "<age>";
  const text = value.replaceAll(namespace, "<namespace>");
  return PATTERNS.reduce((shown, [pattern, by]) => shown.replaceAll(pattern, by), text);
}

function maskedObject(object: Json, namespace: string): Json {
  const entries = Object.entries(object);
  const shown = Object.fromEntries(
    entries.map(([key, value]) => [key.replaceAll(namespace, "<namespace>"), masked(value, namespace, key)]),
  );
  return shown.kind === "Status" ? withoutOrder(shown) : shown;
}

/** Go walks maps in no particular order, so that causes come in none; the message repeats them. */
function withoutOrder(status: Json): Json {
  const details = status.details as Json | undefined;
  if (!Array.isArray(details?.causes)) return status;
  // How often the same is said depends on how many validators a kind happens to go through.
  const causes = distinct(details.causes as Json[]);
  const texts = causes
    .map(({ field, message }) => `${field}: ${message}`)
    .sort((one, other) => other.length - one.length);
  const [head = "", ...rest] = String(status.message).split(" is invalid: ");
  const unexplained = texts.reduce((left, text) => left.replaceAll(text, ""), rest.join(" is invalid: "));
  const message =
    rest.length > 0 && /^\[?[, ]*\]?$/.test(unexplained) ? `${head} is invalid: <causes>` : status.message;
  const ordered = sorted(causes);
  return { ...status, message, details: { ...details, causes: ordered } };
}

function distinct(causes: readonly Json[]): Json[] {
  const texts = causes.map((cause) => JSON.stringify(cause));
  return causes.filter((_, index) => texts.indexOf(texts[index] ?? "") === index);
}

function managerOf({ operation, manager, subresource = "", apiVersion }: Json): string {
  return [operation, manager, subresource, apiVersion].join();
}

function sorted<T>(items: readonly T[], keyOf: (item: T) => string = JSON.stringify): T[] {
  return [...items].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}
