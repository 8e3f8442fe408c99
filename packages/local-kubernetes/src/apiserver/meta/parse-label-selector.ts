import type { LabelSelectorRequirement } from "kubernetes-types/meta/v1.d.ts";
import { meets } from "../../label-selector.ts";
import { badRequest } from "../api-error.ts";
import { labelValueErrors, qualifiedNameErrors } from "./names.ts";

type Token = { readonly kind: "word" | "symbol" | "end"; readonly text: string };

/** Reads a selector such as "app=etcd,tier in (a, b),!gone". */
export function parseLabelSelector(text: string): (labels: Readonly<Record<string, string>>) => boolean {
  const requirements = new Parser(tokensOf(text)).requirements();
  return (labels) => requirements.every((requirement) => meets(labels, requirement));
}

function tokensOf(text: string): Token[] {
  const parts = text.match(/==|!=|[=!<>(),]|[^\s=!<>(),]+/g) ?? [];
  return parts.map((part) => ({ kind: /^[=!<>(),]/.test(part) ? "symbol" : "word", text: part }));
}

const OPERATORS: Readonly<Record<string, string>> = { "=": "In", "==": "In", "!=": "NotIn", ">": "Gt", "<": "Lt" };
const END: Token = { kind: "end", text: "" };

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  requirements(): LabelSelectorRequirement[] {
    const found: LabelSelectorRequirement[] = [];
    while (this.#peek().kind !== "end") {
      found.push(this.#requirement());
      const next = this.#next();
      if (next.kind === "end") break;
      if (next.text !== ",") throw unexpected(next, "',' or 'end of string'");
      if (this.#peek().kind === "end") throw badRequest("found '', expected: identifier after ','");
    }
    return found;
  }

  #requirement(): LabelSelectorRequirement {
    if (this.#peek().text === ",") throw badRequest("found ',', expected: !, identifier, or 'end of string'");
    if (this.#peek().text === "!") {
      this.#next();
      return { key: checkedKey(this.#word()), operator: "DoesNotExist" };
    }
    const key = checkedKey(this.#word());
    const operator = this.#peek();
    if (operator.kind === "end" || operator.text === ",") return { key, operator: "Exists" };
    this.#next();
    if (operator.kind === "word" && (operator.text === "in" || operator.text === "notin")) {
      const values = this.#values();
      for (const [index, value] of [...values].sort().entries()) checkValue(key, value, index);
      return { key, operator: operator.text === "in" ? "In" : "NotIn", values };
    }
    const compared = Object.hasOwn(OPERATORS, operator.text) ? OPERATORS[operator.text] : undefined;
    if (compared === undefined) throw unexpected(operator, "in, notin, =, ==, !=, gt, lt");
    const value = this.#value();
    if (compared === "Gt" || compared === "Lt") checkNumber(value);
    else checkValue(key, value, 0);
    return { key, operator: compared, values: [value] };
  }

  #values(): string[] {
    const open = this.#next();
    if (open.text !== "(") throw unexpected(open, "'('");
    const values: string[] = [];
    for (;;) {
      values.push(this.#value());
      const next = this.#next();
      if (next.text === ")") return values;
      if (next.text !== ",") throw unexpected(next, "',', or ')'");
    }
  }

  #value(): string {
    const next = this.#peek();
    // "a=" asks for an empty value.
    if (next.kind === "end" || next.text === "," || next.text === ")") return "";
    return this.#word();
  }

  #word(): string {
    const token = this.#next();
    if (token.kind !== "word") throw unexpected(token, "identifier");
    return token.text;
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? END;
  }

  #next(): Token {
    const token = this.#peek();
    this.#at++;
    return token;
  }
}

function checkedKey(key: string): string {
  const [error] = qualifiedNameErrors(key);
  if (error) throw unparsable(`<nil>: Invalid value: ${JSON.stringify(key)}: ${error}`);
  return key;
}

function checkValue(key: string, value: string, index: number): void {
  const [error] = labelValueErrors(value);
  if (error) throw unparsable(`values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${error}`);
}

function checkNumber(value: string): void {
  if (/^-?\d+$/.test(value)) return;
  const why = "for 'Gt', 'Lt' operators, the value must be an integer";
  throw unparsable(`values[0]: Invalid value: ${JSON.stringify(value)}: ${why}`);
}

function unparsable(why: string): Error {
  return badRequest(`unable to parse requirement: ${why}`);
}

function unexpected({ text }: Token, expected: string): Error {
  return unparsable(`found '${text}', expected: ${expected}`);
}
