import { Environment } from "@marcbachmann/cel-js";
import { Quantity } from "../../../quantity.ts";
import { patternOf } from "../pattern.ts";
import type { Declare } from "./declare.ts";
import { CelFailure } from "./failure.ts";
import { registerLists } from "./lists.ts";
import { registerPresence } from "./presence.ts";
import { registerStrings } from "./strings.ts";
import { CelUrl } from "./url.ts";

/** The language of rules: CEL with the libraries that Kubernetes adds. */
export function kubernetesCel(): Environment {
  library ??= extended(new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: true }));
  return library.clone();
}

let library: Environment | undefined;

function extended(env: Environment): Environment {
  const declare: Declare = (signature, handler) =>
    env.registerFunction(signature, handler as (...values: unknown[]) => unknown, { async: false });
  registerPresence(env);
  registerStrings(declare);
  registerLists(declare);
  registerRegex(declare);
  registerQuantities(env, declare);
  registerUrls(env, declare);
  registerTimes(declare);
  return env;
}

// `matches` is spelt otherwise here because the library's own cannot be replaced; see expression.ts.
function registerRegex(declare: Declare): void {
  const matches = (text: string, pattern: string) => patternOf(pattern).test(text);
  declare("string.mAtches(string): bool", matches);
  declare("mAtches(string, string): bool", matches);
  declare("string.find(string): string", (text: string, pattern: string) => patternOf(pattern).exec(text)?.[0] ?? "");
  const findAll = (text: string, pattern: string, limit = -1n) => {
    const found = [...text.matchAll(new RegExp(patternOf(pattern), "gu"))].map(([all]) => all);
    return limit < 0n ? found : found.slice(0, Number(limit));
  };
  declare("string.findAll(string): list<string>", findAll);
  declare("string.findAll(string, int): list<string>", findAll);
}

function registerQuantities(env: Environment, declare: Declare): void {
  env.registerType("Quantity", { ctor: Quantity, fields: {} });
  env.registerOperator("Quantity == Quantity", (a: Quantity, b: Quantity) => a.nano === b.nano);
  const from = (other: Quantity | bigint) => (typeof other === "bigint" ? Quantity.ofInt(other) : other);
  declare("isQuantity(string): bool", (text: string) => Quantity.parse(text) !== undefined);
  declare("quantity(string): Quantity", (text: string) => {
    const parsed = Quantity.parse(text);
    if (parsed) return parsed;
    throw new CelFailure("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  });
  declare("Quantity.sign(): int", (a: Quantity) => a.sign);
  declare("Quantity.isInteger(): bool", (a: Quantity) => a.integer !== undefined);
  declare("Quantity.asInteger(): int", (a: Quantity) => {
    if (a.integer !== undefined) return a.integer;
    throw new CelFailure("cannot convert value to integer");
  });
  declare("Quantity.asApproximateFloat(): double", (a: Quantity) => a.approximation);
  declare("Quantity.isGreaterThan(Quantity): bool", (a: Quantity, b: Quantity) => a.compareTo(b) > 0n);
  declare("Quantity.isLessThan(Quantity): bool", (a: Quantity, b: Quantity) => a.compareTo(b) < 0n);
  declare("Quantity.compareTo(Quantity): int", (a: Quantity, b: Quantity) => a.compareTo(b));
  for (const other of ["Quantity", "int"]) {
    declare(`Quantity.add(${other}): Quantity`, (a: Quantity, b: Quantity | bigint) => a.plus(from(b)));
    declare(`Quantity.sub(${other}): Quantity`, (a: Quantity, b: Quantity | bigint) => a.minus(from(b)));
  }
}

function registerUrls(env: Environment, declare: Declare): void {
  env.registerType("URL", { ctor: CelUrl, fields: {} });
  declare("isURL(string): bool", (text: string) => CelUrl.parse(text) !== undefined);
  declare("url(string): URL", (text: string) => {
    const parsed = CelUrl.parse(text);
    if (parsed) return parsed;
    throw new CelFailure(`URL parse error during conversion from string: parse "${text}": invalid URI for request`);
  });
  declare("URL.getScheme(): string", (url: CelUrl) => url.scheme);
  declare("URL.getHost(): string", (url: CelUrl) => url.host);
  declare("URL.getHostname(): string", (url: CelUrl) => url.hostname);
  declare("URL.getPort(): string", (url: CelUrl) => url.port);
  declare("URL.getEscapedPath(): string", (url: CelUrl) => url.path);
  declare("URL.getQuery(): map<string, list<string>>", (url: CelUrl) => url.parameters);
}

function registerTimes(declare: Declare): void {
  declare("string(google.protobuf.Timestamp): string", (at: Date) => at.toISOString().replace(/\.?0*Z$/, "Z"));
  declare("string(google.protobuf.Duration): string", (duration: object) => String(duration));
  declare("int(google.protobuf.Timestamp): int", (at: Date) => BigInt(Math.floor(at.getTime() / 1000)));
  declare("timestamp(google.protobuf.Timestamp): google.protobuf.Timestamp", (at: Date) => at);
  declare("duration(google.protobuf.Duration): google.protobuf.Duration", (duration: object) => duration);
}
