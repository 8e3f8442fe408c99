import { isObject } from "./schema.ts";

/**
 * What a path finds in a value: names, `['names']`, indices, `[*]` and filters such as `[?(@.type=="Ready")]`.
 * Undefined for what is no such path.
 */
export function valuesAt(path: string, value: unknown): readonly unknown[] | undefined {
  let found: readonly unknown[] = [value];
  let rest = path === "." ? "" : path;
  while (rest !== "") {
    const step = STEPS.find(({ pattern }) => pattern.test(rest));
    const match = step?.pattern.exec(rest);
    if (!step || !match) return undefined;
    found = found.flatMap((each) => step.take(each, match));
    rest = rest.slice(match[0].length);
  }
  return found;
}

interface Step {
  readonly pattern: RegExp;
  readonly take: (value: unknown, match: RegExpExecArray) => readonly unknown[];
}

const STEPS: readonly Step[] = [
  { pattern: /^\.?\[\*\]|^\.\*/, take: (value) => membersOf(value) },
  {
    pattern: /^\.((?:\\.|[^.[\]\\])+)/,
    take: (value, [, name = ""]) => fieldOf(value, name.replace(/\\(.)/g, "$1")),
  },
  { pattern: /^\.?\['([^']*)'\]/, take: (value, [, name = ""]) => fieldOf(value, name) },
  { pattern: /^\.?\[(-?\d+)\]/, take: (value, [, index]) => itemOf(value, Number(index)) },
  {
    pattern: /^\.?\[\?\(\s*@(\.[^\s=!<>)]+)\s*(?:(==|!=|<=|>=|<|>)\s*("[^"]*"|'[^']*'|[^\s)]+)\s*)?\)\]/,
    take: (value, [, path = "", operator, operand]) =>
      (Array.isArray(value) ? value : []).filter((item) => isMatch(valuesAt(path, item)?.[0], operator, operand)),
  },
];

function membersOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

function fieldOf(value: unknown, name: string): readonly unknown[] {
  return isObject(value) && Object.hasOwn(value, name) ? [value[name]] : [];
}

function itemOf(value: unknown, index: number): readonly unknown[] {
  if (!Array.isArray(value)) return [];
  const at = index < 0 ? value.length + index : index;
  return at in value ? [value[at]] : [];
}

function isMatch(value: unknown, operator: string | undefined, operand = ""): boolean {
  if (operator === undefined) return value !== undefined;
  const wanted: unknown = /^["']/.test(operand) ? operand.slice(1, -1) : literal(operand);
  if (operator === "==") return value === wanted;
  if (operator === "!=") return value !== undefined && value !== wanted;
  if (typeof value !== typeof wanted || value === null || wanted === null) return false;
  const [left, right] = [value as string | number, wanted as string | number];
  if (operator === "<") return left < right;
  if (operator === "<=") return left <= right;
  return operator === ">" ? left > right : left >= right;
}

function literal(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  return Number.isNaN(Number(text)) ? text : Number(text);
}
