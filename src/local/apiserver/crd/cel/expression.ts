import { type Environment, EvaluationError, ParseError, TypeError as StaticError } from "@marcbachmann/cel-js";
import { re2 } from "../re2.ts";
import { Re2Error } from "../re2-parts.ts";
import { compileFailure, type Issue, issueOf } from "./compile-issue.ts";
import { evaluationMessage } from "./evaluation-message.ts";
import { CelFailure } from "./failure.ts";

/** An expression that is known to make sense in its environment. */
export interface Expression {
  /** The CEL type of its result. */
  readonly type: string;
  /** Throws CelFailure. */
  evaluate(variables: Readonly<Record<string, unknown>>): unknown;
}

/** Throws CelFailure with what the real server would say of an expression that does not compile. */
export function compileExpression(env: Environment, source: string): Expression {
  try {
    const program = env.parse(renamed(source));
    const checked = program.check();
    if (!checked.valid) throw checked.error;
    const regex = badRegex(env, source);
    if (regex) throw compileFailure(source, regex);
    return { type: checked.type ?? "dyn", evaluate: (variables) => evaluated(() => program({ ...variables })) };
  } catch (error) {
    if (!(error instanceof ParseError || error instanceof StaticError)) throw error;
    const isFunction = (name: string) => env.getDefinitions().functions.some((each) => each.name === name);
    throw compileFailure(source, issueOf(source, error, isFunction));
  }
}

/** Whether an expression names a variable. */
export function mentions(source: string, variable: string): boolean {
  return [...source.matchAll(TOKEN)].some(
    ({ 0: token, index }) => token === variable && !/\.\s*\??\s*$/.test(source.slice(0, index)),
  );
}

// Patterns that are written out are checked before they are ever used.
function badRegex(env: Environment, source: string): Issue | undefined {
  for (const { 0: call, 1: literal = "", index } of source.matchAll(MATCHES)) {
    try {
      re2(String(env.evaluate(literal)));
    } catch (error) {
      if (!(error instanceof Re2Error)) throw error;
      return { at: index + call.indexOf(literal), text: "invalid matches argument" };
    }
  }
  return undefined;
}

function evaluated(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (error instanceof EvaluationError) throw new CelFailure(evaluationMessage(error), { cause: error });
    if (error instanceof Re2Error) throw new CelFailure(error.message, { cause: error });
    throw error;
  }
}

// The CEL library lets nobody replace its own functions, so ours bear other names of the same length: places in
// error messages stay true. The names are put in outside of strings and comments only.
const OURS: Readonly<Record<string, string>> = {
  has: "hAs",
  matches: "mAtches",
  lowerAscii: "lOwerAscii",
  upperAscii: "uPperAscii",
};

const RAW_STRING = `(?:[bB]?[rR]|[rR][bB])(?:"""[^]*?"""|'''[^]*?'''|"[^"\\n]*"|'[^'\\n]*')`;
const STRING =
  `[bB]?(?:"""(?:\\\\[^]|[^\\\\])*?"""|'''(?:\\\\[^]|[^\\\\])*?'''|` + `"(?:\\\\.|[^"\\\\])*"|'(?:\\\\.|[^'\\\\])*')`;
const TOKEN = new RegExp(`${RAW_STRING}|${STRING}|//[^\\n]*|[A-Za-z_]\\w*`, "g");
const MATCHES = new RegExp(`\\.matches\\(\\s*(${RAW_STRING}|${STRING})\\s*\\)`, "g");

function renamed(source: string): string {
  return source.replace(TOKEN, (token, offset: number) => {
    const ours = Object.hasOwn(OURS, token) ? OURS[token] : undefined;
    return ours && /^\s*\(/.test(source.slice(offset + token.length)) ? ours : token;
  });
}
