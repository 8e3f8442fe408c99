/** The value of a text that should be JSON. Only one that is not is looked at again, for the words of Go's decoder. */
export function parseJson(text: string, refusal: (why: string) => Error): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const broken = goJsonError(text);
    throw broken === undefined ? error : refusal(broken);
  }
}

/** What Go's decoder says about a text that is not JSON; undefined: nothing is wrong with it. */
export function goJsonError(text: string): string | undefined {
  const scanner = new Scanner(text);
  try {
    scanner.document();
    return undefined;
  } catch (error) {
    if (error instanceof BadJson) return error.message;
    throw error;
  }
}

class BadJson extends Error {}

const SPACE = /[ \t\r\n]/;
const LITERALS = ["true", "false", "null"];

class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): void {
    this.#value();
    this.#skip();
    if (this.#at < this.#text.length) throw this.#unexpected("after top-level value");
  }

  #value(): void {
    this.#skip();
    const first = this.#peek();
    const literal = LITERALS.find((word) => word[0] === first);
    if (first === "{") this.#members();
    else if (first === "[") this.#items();
    else if (first === '"') this.#string();
    else if (literal) this.#literal(literal);
    else if (/[-0-9]/.test(first)) this.#number();
    else throw this.#unexpected("looking for beginning of value");
  }

  #members(): void {
    this.#at++;
    this.#skip();
    if (this.#peek() === "}") {
      this.#at++;
      return;
    }
    for (;;) {
      this.#skip();
      if (this.#peek() !== '"') throw this.#unexpected("looking for beginning of object key string");
      this.#string();
      this.#skip();
      if (this.#peek() !== ":") throw this.#unexpected("after object key");
      this.#at++;
      this.#value();
      this.#skip();
      const next = this.#peek();
      if (next !== "," && next !== "}") throw this.#unexpected("after object key:value pair");
      this.#at++;
      if (next === "}") return;
    }
  }

  #items(): void {
    this.#at++;
    this.#skip();
    if (this.#peek() === "]") {
      this.#at++;
      return;
    }
    for (;;) {
      this.#value();
      this.#skip();
      const next = this.#peek();
      if (next !== "," && next !== "]") throw this.#unexpected("after array element");
      this.#at++;
      if (next === "]") return;
    }
  }

  #string(): void {
    this.#at++;
    for (;;) {
      const next = this.#peek();
      if (next < " ") throw this.#unexpected("in string literal");
      this.#at++;
      if (next === '"') return;
      if (next !== "\\") continue;
      if (!/["\\/bfnrtu]/.test(this.#peek())) throw this.#unexpected("in string escape code");
      this.#at++;
    }
  }

  #literal(word: string): void {
    for (const letter of word) {
      const what = letter === word[0] ? "" : `in literal ${word} (expecting '${letter}')`;
      if (this.#peek() !== letter) throw this.#unexpected(what);
      this.#at++;
    }
  }

  #number(): void {
    const rest = this.#text.slice(this.#at);
    const found = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/.exec(rest)?.[0];
    this.#at += found?.length ?? 1;
    if (found === undefined) {
      this.#peek();
      throw this.#unexpected("in numeric literal");
    }
  }

  #skip(): void {
    while (SPACE.test(this.#text[this.#at] ?? "")) this.#at++;
  }

  #peek(): string {
    const found = this.#text[this.#at];
    if (found === undefined) throw new BadJson("unexpected end of JSON input");
    return found;
  }

  #unexpected(where: string): BadJson {
    const character = this.#text[this.#at] ?? "";
    const shown = character === "'" ? `'\\''` : character === '"' ? `'"'` : `'${printable(character)}'`;
    return new BadJson(`invalid character ${shown} ${where}`);
  }
}

function printable(character: string): string {
  const code = character.charCodeAt(0);
  if (code >= 0x7f && code < 0xa0) return `\\u${code.toString(16).padStart(4, "0")}`;
  return code < 32 ? (ESCAPES[character] ?? `\\x${code.toString(16).padStart(2, "0")}`) : character;
}

const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t", "\r": "\\r" };

const VERSION_AND_KIND =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** What Go says when a body is JSON, but no object. */
export function notAnObject(value: unknown): string {
  const kind = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return `json: cannot unmarshal ${kind} into Go value of type ${VERSION_AND_KIND}`;
}

const SHOWN = 30;

/** A body as messages show it. */
export function summarized(body: Buffer): string {
  if (body.length === 0) return "<empty>";
  const part = body.subarray(0, SHOWN);
  const text = body[0] === 0x7b ? part.toString("utf8") : part.toString("hex");
  return body.length > SHOWN ? `${text} ...` : text;
}
