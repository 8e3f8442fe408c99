import { type Cursor, Re2Error, readClass, readEscape } from "./re2-parts.ts";

/**
 * A pattern in RE2 syntax as a JavaScript regular expression; throws Re2Error where RE2 would, and for the few
 * constructs that JavaScript cannot say.
 */
export function re2(pattern: string): RegExp {
  const known = compiled.get(pattern);
  if (known) return known;
  const cursor: Cursor = { pattern, at: 0, dotAll: false };
  const flags = leadingFlags(cursor);
  let source = "";
  while (cursor.at < pattern.length) source += readOne(cursor);
  const expression = compile(source, `u${flags.replace("s", "")}`, pattern);
  compiled.set(pattern, expression);
  return expression;
}

// Patterns come from CRDs and their rules, so there are few; the same ones are asked for again and again.
const compiled = new Map<string, RegExp>();

const MAX_REPEAT = 1000;

function leadingFlags(cursor: Cursor): string {
  const [all, flags] = /^\(\?([imsU]+)\)/.exec(cursor.pattern) ?? [];
  if (all === undefined || flags === undefined) return "";
  if (flags.includes("U")) throw new Re2Error("invalid or unsupported Perl syntax", all);
  cursor.at = all.length;
  cursor.dotAll = flags.includes("s");
  return [...new Set(flags)].join("");
}

function readOne(cursor: Cursor): string {
  const character = cursor.pattern.charAt(cursor.at);
  switch (character) {
    case "\\":
      return readEscape(cursor);
    case "[":
      return readClass(cursor);
    case "(":
      return readGroup(cursor);
    case "{":
      return readRepeat(cursor);
    case ".":
      cursor.at++;
      return cursor.dotAll ? "[^]" : "[^\\n]";
    case "]":
    case "}":
      cursor.at++;
      return `\\${character}`;
    default:
      cursor.at++;
      return character;
  }
}

function readGroup(cursor: Cursor): string {
  const rest = cursor.pattern.slice(cursor.at);
  const [name] = /^\(\?P?<[A-Za-z_]\w*>/.exec(rest) ?? [];
  if (name) {
    cursor.at += name.length;
    return name.replace("?P<", "?<");
  }
  if (rest.startsWith("(?:")) {
    cursor.at += 3;
    return "(?:";
  }
  if (rest.startsWith("(?")) throw new Re2Error("invalid or unsupported Perl syntax", rest.slice(0, 3));
  cursor.at++;
  return "(";
}

// A brace that opens no repetition stands for itself.
function readRepeat(cursor: Cursor): string {
  const [all, least, , most] = /^\{(\d+)(,(\d*))?\}/.exec(cursor.pattern.slice(cursor.at)) ?? [];
  if (all === undefined) {
    cursor.at++;
    return "\\{";
  }
  if (Number(least) > MAX_REPEAT || Number(most) > MAX_REPEAT) throw new Re2Error("invalid repeat count", all);
  cursor.at += all.length;
  return all;
}

function compile(source: string, flags: string, pattern: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    throw translated(String(error), pattern);
  }
}

function translated(message: string, pattern: string): Re2Error {
  if (message.includes("Unterminated group")) return new Re2Error("missing closing )", pattern);
  if (message.includes("Unmatched ')'")) return new Re2Error("unexpected )", pattern);
  const [nested] = /[*+?]{2,}|\}[*+]/.exec(pattern) ?? [];
  if (nested !== undefined) return new Re2Error("invalid nested repetition operator", nested);
  const [, operator] = /(?:^|[(|])([*+?])/.exec(pattern) ?? [];
  if (operator !== undefined) return new Re2Error("missing argument to repetition operator", operator);
  return new Re2Error("invalid or unsupported syntax", pattern);
}
