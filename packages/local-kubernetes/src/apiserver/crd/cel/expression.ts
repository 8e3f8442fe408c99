import { type Environment, EvaluationError, ParseError, TypeError as StaticError } from "@marcbachmann/cel-js";
import { PatternError } from "../pattern.ts";
import { evaluationMessage } from "./evaluation-message.ts";
import { CelFailure } from "./failure.ts";

/** An expression that is known to make sense in its environment. */
export interface Expression {
  /** The CEL type of its result. */
  readonly type: string;
  /** Throws CelFailure. */
  evaluate(variables: Readonly<Record<string, unknown>>): unknown;
}

/** Throws CelFailure where an expression does not compile. */
export function compileExpression(env: Environment, source: string): Expression {
  try {
    const program = env.parse(renamed(source));
    const checked = program.check();
    if (!checked.valid) throw checked.error;
    return { type: checked.type ?? "dyn", evaluate: (variables) => evaluated(() => program({ ...variables })) };
  } catch (error) {
    if (error instanceof ParseError || error instanceof StaticError) throw new CelFailure(error.summary);
    throw error;
  }
}

/** Whether an expression names a variable. */
export function mentions(source: string, variable: string): boolean {
  return [...source.matchAll(TOKEN)].some(
    ({ 0: token, index }) => token === variable && !/\.\s*\??\s*$/.test(source.slice(0, index)),
  );
}

function evaluated(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (error instanceof EvaluationError) throw new CelFailure(evaluationMessage(error), { cause: error });
    if (error instanceof PatternError) throw new CelFailure(error.message, { cause: error });
    throw error;
  }
}

// The CEL library's own functions cannot be replaced, so ours have other names. They are put in outside of strings and
// comments only.
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

function renamed(source: string): string {
  return source.replace(TOKEN, (token, offset: number) => {
    const ours = Object.hasOwn(OURS, token) ? OURS[token] : undefined;
    return ours && /^\s*\(/.test(source.slice(offset + token.length)) ? ours : token;
  });
}
