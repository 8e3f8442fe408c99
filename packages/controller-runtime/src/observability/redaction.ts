/** Names of fields whose values never belong into a log, wherever they stand. */
const SECRET_FIELDS = [
  "authorization",
  "cert",
  "client-key-data",
  "credential",
  "credentials",
  "data",
  "key",
  "password",
  "secret",
  "stringData",
  "token",
];
const DEPTHS = ["", "*.", "*.*."];

/** Paths of secret fields, for pino, which looks only where it is told to. */
export const SECRET_PATHS: readonly string[] = DEPTHS.flatMap((depth) =>
  SECRET_FIELDS.map((field) => (field.includes("-") ? `${depth.slice(0, -1)}["${field}"]` : `${depth}${field}`)),
);

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, "$1 [redacted]"],
  [/(:\/\/[^\s/:@]+):[^\s/@]+@/g, "$1:[redacted]@"],
  [/-----BEGIN ([A-Z ]*PRIVATE KEY)-----[\s\S]*?(-----END \1-----|$)/g, "[redacted $1]"],
];

/** Text of others, such as the message of an error, without the secrets that can be told by their form. */
export function withoutSecrets(text: string): string {
  return PATTERNS.reduce((redacted, [pattern, instead]) => redacted.replace(pattern, instead), text);
}
