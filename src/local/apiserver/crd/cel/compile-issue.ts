import type { ASTNode, ParseError, TypeError as StaticError } from "@marcbachmann/cel-js";
import { CelFailure } from "./failure.ts";

/** Where an expression does not compile, and why. */
export interface Issue {
  readonly at: number;
  readonly text: string;
}

/** An issue laid out as the real server does: place, sentence, line and a mark. */
export function compileFailure(source: string, { at, text }: Issue): CelFailure {
  const before = source.slice(0, at).split("\n");
  const line = source.split("\n")[before.length - 1] ?? "";
  const column = before.at(-1)?.length ?? 0;
  return new CelFailure(
    `ERROR: <input>:${before.length}:${column + 1}: ${text}\n | ${line}\n | ${".".repeat(column)}^`,
  );
}

/** What the CEL library has against an expression, in the words of the real server as far as it has the same. */
export function issueOf(source: string, error: ParseError | StaticError, isFunction: (name: string) => boolean): Issue {
  const { code, node, range, summary } = error;
  const at = range?.start ?? 0;
  const text = summary.replaceAll(
    /\b(?:hAs|mAtches|lOwerAscii|uPperAscii)\b/g,
    (name) => name.charAt(0) + name.charAt(1).toLowerCase() + name.slice(2),
  );
  const [, named] = /: (\S+)$/.exec(text) ?? [];
  const parts = childrenOf(node);
  switch (code) {
    case "no_such_key":
      return { at: fieldPlace(source, at), text: `undefined field '${named}'` };
    case "unknown_variable":
      return { at, text: `undeclared reference to '${named}' (in container '')` };
    case "no_such_overload": {
      const [, left = "", operator, right = ""] = /: (\S+(?:<.*>)?) (\S+) (\S+(?:<.*>)?)$/.exec(text) ?? [];
      return { at: after(source, parts[0], at), text: unmatched(`_${operator}_`, `(${left}, ${right})`) };
    }
    case "no_matching_overload":
      return callIssue(source, text, parts.at(0), at, isFunction);
    case "incompatible_ternary_branches": {
      const [, left, right] = /got '(.*)' and '(.*)'/.exec(text) ?? [];
      return { at: after(source, parts[0], at), text: unmatched("_?_:_", `(bool, ${left}, ${right})`) };
    }
    case "invalid_index_type":
      return { at: after(source, parts[0], at), text };
    case "heterogeneous_list_element":
      return { at, text: text.replace(/^.*?, /, "") };
    default:
      return { at, text: error.name === "ParseError" ? `Syntax error: ${text}` : text };
  }
}

function callIssue(
  source: string,
  text: string,
  receiver: ASTNode | undefined,
  start: number,
  isFunction: (name: string) => boolean,
): Issue {
  const [, target, name = "", values = ""] = /'(?:(.*)\.)?(\w+)\((.*)\)'$/.exec(text) ?? [];
  const at = source.indexOf("(", target === undefined ? start : receiver?.end);
  if (!isFunction(name)) return { at, text: `undeclared reference to '${name}' (in container '')` };
  return { at, text: unmatched(name, target === undefined ? `(${values})` : `${target}.(${values})`) };
}

function unmatched(name: string, operands: string): string {
  const types = operands
    .replace(/(list|map|optional)<([^<>]*)>/g, "$1($2)")
    .replaceAll(/\bObject\d+\b/g, "object")
    .replaceAll("google.protobuf.Timestamp", "timestamp")
    .replaceAll("google.protobuf.Duration", "duration");
  return `found no matching overload for '${name}' applied to '${types}'`;
}

// A field is found wanting at its dot; inside of has() at the parenthesis.
function fieldPlace(source: string, at: number): number {
  const dot = source.lastIndexOf(".", at);
  const [presence] = /\bhas\(\s*[\w.]+$/.exec(source.slice(0, dot)) ?? [];
  return presence === undefined ? dot : dot - presence.length + "has".length;
}

/** Where what stands between two operands begins. */
function after(source: string, operand: ASTNode | undefined, otherwise: number): number {
  if (!operand) return otherwise;
  const [gap = ""] = /^[\s)]*/.exec(source.slice(operand.end)) ?? [];
  return operand.end + gap.length;
}

// Calls hold their name first: the operands are the nodes among what a node holds.
function childrenOf(node: unknown): ASTNode[] {
  const args = (node as { args?: unknown } | undefined)?.args;
  return (Array.isArray(args) ? args : []).filter((each) => typeof each === "object" && each !== null && "end" in each);
}
