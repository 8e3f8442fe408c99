import { parseGoDuration } from "./go-duration.ts";
import { OperatorError } from "./operator-error.ts";

/** A flag, with its value when it is not given. */
export type FlagDefinition = { readonly help: string } & (
  | { readonly type: "boolean"; readonly initial: boolean }
  | { readonly type: "integer"; readonly initial: number }
  /** In milliseconds. */
  | { readonly type: "duration"; readonly initial: number; readonly shown: string }
  | { readonly type: "string"; readonly initial: string | undefined; readonly oneOf?: readonly string[] }
);

export type FlagDefinitions = Readonly<Record<string, FlagDefinition>>;

export type FlagValues<Definitions extends FlagDefinitions> = {
  readonly [Name in keyof Definitions]: FlagValue<Definitions[Name]>;
};

type FlagValue<Definition extends FlagDefinition> = Definition extends { type: "boolean" }
  ? boolean
  : Definition extends { type: "integer" | "duration" }
    ? number
    : Definition extends { initial: string }
      ? string
      : string | undefined;

/**
 * Reads flags as Go's flag package does, because scripts for coreos/etcd-operator rely on it: one dash or two, "="
 * before the value or a space, except that a boolean takes its value only after "=".
 */
export function parseGoFlags<Definitions extends FlagDefinitions>(
  program: string,
  definitions: Definitions,
  args: readonly string[],
): FlagValues<Definitions> {
  const values: Record<string, unknown> = Object.fromEntries(
    Object.entries(definitions).map(([name, { initial }]) => [name, initial]),
  );
  const left = [...args];
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    const { name, given } = named(program, definitions, arg);
    const definition = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
    if (!definition) throw unknownFlag(program, definitions, arg);
    const text = given ?? (definition.type === "boolean" ? "true" : left.shift());
    values[name] = valueIn(program, name, definition, text);
  }
  return values as FlagValues<Definitions>;
}

/** The flags as a list for --help. */
export function describeGoFlags(definitions: FlagDefinitions): string {
  return Object.entries(definitions)
    .map(([name, definition]) => `  ${`--${name}=${shownInitial(definition)}`.padEnd(30)}  ${definition.help}\n`)
    .join("");
}

function named(program: string, definitions: FlagDefinitions, arg: string): { name: string; given?: string } {
  const { name = "", given } = /^--?(?<name>[^-=][^=]*)(?:=(?<given>[\s\S]*))?$/.exec(arg)?.groups ?? {};
  if (name === "") throw invalid(program, arg, `it is not a flag. Flags: ${listed(definitions)}`);
  return given === undefined ? { name } : { name, given };
}

function valueIn(program: string, name: string, definition: FlagDefinition, text: string | undefined): unknown {
  const flag = `--${name}`;
  if (text === undefined) throw invalid(program, flag, `it needs a value: write ${flag}=${shownInitial(definition)}`);
  const wrong = (what: string) => invalid(program, `${flag}=${text}`, `'${text}' is not ${what}`);
  switch (definition.type) {
    case "boolean": {
      const value = BOOLEANS.get(text.toLowerCase());
      if (value === undefined) throw wrong("'true' or 'false'");
      return value;
    }
    case "integer":
      if (!/^[+-]?\d+$/.test(text)) throw wrong("a whole number");
      return Number(text);
    case "duration": {
      const ms = parseGoDuration(text);
      if (ms === undefined) throw wrong("a duration such as '10m' or '90s'");
      return ms;
    }
    case "string":
      if (definition.oneOf && !definition.oneOf.includes(text)) throw wrong(`one of ${definition.oneOf.join(", ")}`);
      return text;
  }
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...["true", "t", "1"].map((text) => [text, true] as const),
  ...["false", "f", "0"].map((text) => [text, false] as const),
]);

function shownInitial(definition: FlagDefinition): string {
  if (definition.type === "duration") return definition.shown;
  return String(definition.initial ?? "…");
}

function unknownFlag(program: string, definitions: FlagDefinitions, arg: string): OperatorError {
  return invalid(program, arg, `unknown flag. Flags: ${listed(definitions)}`);
}

function listed(definitions: FlagDefinitions): string {
  return Object.keys(definitions)
    .map((name) => `--${name}`)
    .join(", ");
}

function invalid(program: string, arg: string, message: string): OperatorError {
  return new OperatorError("flag-invalid", { operation: `${program}: reading '${arg}'`, message });
}
