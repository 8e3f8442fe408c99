/** Where the translation of a pattern stands. */
export interface Cursor {
  readonly pattern: string;
  at: number;
  dotAll: boolean;
}

/** Why a pattern is none, in the words of Go's regexp package. */
export class Re2Error extends Error {
  override readonly name = "Re2Error";

  constructor(reason: string, part: string) {
    super(`error parsing regexp: ${reason}: \`${part}\``);
  }
}

/** Translates what follows a backslash outside of brackets. */
export function readEscape(cursor: Cursor): string {
  const rest = cursor.pattern.slice(cursor.at);
  const [quoted, literal] = /^\\Q([\s\S]*?)(?:\\E|$)/.exec(rest) ?? [];
  if (quoted !== undefined && literal !== undefined) {
    cursor.at += quoted.length;
    return Array.from(literal, asLiteral).join("");
  }
  const anchor = ANCHORS[rest.slice(0, 2)];
  if (anchor !== undefined) {
    cursor.at += 2;
    return anchor;
  }
  const shorthand = SHORTHANDS[rest.slice(0, 2)];
  if (shorthand === undefined) return readCharacter(cursor);
  cursor.at += 2;
  return `[${shorthand}]`;
}

/** Translates a bracket expression, such as `[^a-z[:digit:]\s]`. */
export function readClass(cursor: Cursor): string {
  const start = cursor.at++;
  const isNegated = cursor.pattern[cursor.at] === "^";
  if (isNegated) cursor.at++;
  let members = "";
  for (let isFirst = true; isFirst || cursor.pattern[cursor.at] !== "]"; isFirst = false) {
    if (cursor.at >= cursor.pattern.length) throw new Re2Error("missing closing ]", cursor.pattern.slice(start));
    members += readMember(cursor);
  }
  cursor.at++;
  return `[${isNegated ? "^" : ""}${members}]`;
}

const ANCHORS: Readonly<Record<string, string>> = {
  "\\A": "(?<![^])",
  "\\z": "(?![^])",
  "\\b": "\\b",
  "\\B": "\\B",
};

// RE2's \s is narrower than JavaScript's.
const SHORTHANDS: Readonly<Record<string, string>> = {
  "\\d": "\\d",
  "\\D": "\\D",
  "\\w": "\\w",
  "\\W": "\\W",
  "\\s": "\\t\\n\\f\\r ",
  "\\S": "\\0-\\x08\\x0b\\x0e-\\x1f\\x21-\\u{10ffff}",
};

const POSIX: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\x00-\\x7f",
  blank: "\\t ",
  cntrl: "\\x00-\\x1f\\x7f",
  digit: "0-9",
  graph: "\\x21-\\x7e",
  lower: "a-z",
  print: "\\x20-\\x7e",
  punct: "\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e",
  space: "\\t\\n\\v\\f\\r ",
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
};

function readMember(cursor: Cursor): string {
  const rest = cursor.pattern.slice(cursor.at);
  const [posix, name] = /^\[:(\w+):\]/.exec(rest) ?? [];
  if (posix !== undefined && name !== undefined) {
    const members = POSIX[name];
    if (!members) throw new Re2Error("invalid character class range", posix);
    cursor.at += posix.length;
    return members;
  }
  const shorthand = SHORTHANDS[rest.slice(0, 2)];
  if (shorthand !== undefined) {
    cursor.at += 2;
    return shorthand;
  }
  if (/^\\[pP]/.test(rest)) return readCharacter(cursor);
  const start = cursor.at;
  const low = readMemberCharacter(cursor);
  const [, opens] = /^-([^\]])/.exec(cursor.pattern.slice(cursor.at)) ?? [];
  if (opens === undefined) return low;
  cursor.at++;
  const high = readMemberCharacter(cursor);
  if (!isRange(low, high)) {
    throw new Re2Error("invalid character class range", cursor.pattern.slice(start, cursor.at));
  }
  return `${low}-${high}`;
}

function isRange(low: string, high: string): boolean {
  try {
    return new RegExp(`[${low}-${high}]`, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

function readMemberCharacter(cursor: Cursor): string {
  if (cursor.pattern[cursor.at] === "\\") return readCharacter(cursor);
  const character = String.fromCodePoint(cursor.pattern.codePointAt(cursor.at) ?? 0);
  cursor.at += character.length;
  return asLiteral(character);
}

function readCharacter(cursor: Cursor): string {
  const rest = cursor.pattern.slice(cursor.at);
  const [all, property, long, hex = long, octal, short] =
    /^\\(?:[pP](\{\^?\w+\}|\w)|x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))|([0-7]{2,3}|0)|([aftnrv]|[^0-9A-Za-z]))/u.exec(
      rest,
    ) ?? [];
  if (all === undefined) {
    const reason = rest === "\\" ? "trailing backslash at end of expression" : "invalid escape sequence";
    throw new Re2Error(reason, rest.slice(0, 2));
  }
  cursor.at += all.length;
  if (property !== undefined) return propertyClass(all.charAt(1), property);
  if (hex !== undefined) return codePoint(Number.parseInt(hex, 16));
  if (octal !== undefined) return codePoint(Number.parseInt(octal, 8));
  return short === "a" ? "\\x07" : /^[a-z]$/.test(short ?? "") ? all : asLiteral(short ?? "");
}

function propertyClass(letter: string, property: string): string {
  const name = property.replace(/[{}^]/g, "");
  const isNegated = property.includes("^") !== (letter === "P");
  return `\\${isNegated ? "P" : "p"}{${name.length > 2 ? `Script=${name}` : name}}`;
}

function asLiteral(character: string): string {
  return /^[\w\s]$/u.test(character) && character !== "_" ? character : codePoint(character.codePointAt(0) ?? 0);
}

function codePoint(code: number): string {
  return `\\u{${code.toString(16)}}`;
}
