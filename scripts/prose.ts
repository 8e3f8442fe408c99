/** A piece of text that people read: a string or comment of a source, or a whole document. */
export interface Prose {
  readonly kind: "comment" | "string" | "document";
  /** Its first line, from 1. */
  readonly line: number;
  readonly text: string;
}

const LINE_COMMENTS = /\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*/y;
const BLOCK_COMMENT = /\/\*[\s\S]*?\*\//y;
const STRING = /"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/y;
const TEMPLATE_PART = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y;
const REGEXP = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const WORD = /[\w$#.]+/y;
const SPACE = /\s+/y;
/** What a slash divides; after anything else it begins a regular expression. */
const DIVIDED = /[\w$)\]}"'`]$/;
const NOT_DIVIDED = /^(?:return|typeof|case|in|of|await|yield|void|delete|throw|else)$/;

/** The strings and comments of a TypeScript source; the names of imported files are not among them. */
export function proseOfTypeScript(source: string): readonly Prose[] {
  return new Scanner(source).prose();
}

/** Just enough of a scanner: TypeScript's own has no API in the version that we use. */
class Scanner {
  readonly #source: string;
  readonly #found: Prose[] = [];
  /** Open braces; true for one that belongs to a template. */
  readonly #braces: boolean[] = [];
  #at = 0;
  #before = "";

  constructor(source: string) {
    this.#source = source;
  }

  prose(): readonly Prose[] {
    while (this.#at < this.#source.length) this.#next();
    return this.#found;
  }

  #next(): void {
    if (this.#take(SPACE) !== undefined) return;
    if (this.#keep("comment", LINE_COMMENTS) || this.#keep("comment", BLOCK_COMMENT)) return;
    if (this.#before === "from" || this.#before === "import") this.#before = this.#take(STRING) ?? "";
    if (this.#keep("string", STRING)) this.#before = '"';
    else if (!this.#isDivision() && this.#take(REGEXP) !== undefined) this.#before = '"';
    else this.#before = this.#take(WORD) ?? this.#symbol();
  }

  #symbol(): string {
    const symbol = this.#source[this.#at++] ?? "";
    if (symbol === "{") this.#braces.push(false);
    if (symbol === "`" || (symbol === "}" && this.#braces.pop())) this.#template();
    return symbol;
  }

  /** Up to its end, or to the next expression in it. */
  #template(): void {
    this.#keep("string", TEMPLATE_PART);
    if (this.#source[this.#at] === "$") this.#braces.push(true);
    this.#at += this.#source[this.#at] === "$" ? 2 : 1;
  }

  #isDivision(): boolean {
    return DIVIDED.test(this.#before) && !NOT_DIVIDED.test(this.#before);
  }

  #keep(kind: Prose["kind"], pattern: RegExp): boolean {
    const line = 1 + (this.#source.slice(0, this.#at).match(/\n/g)?.length ?? 0);
    const text = this.#take(pattern);
    if (text !== undefined) this.#found.push({ kind, line, text });
    return text !== undefined;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [text] = pattern.exec(this.#source) ?? [];
    if (text !== undefined) this.#at = pattern.lastIndex;
    return text;
  }
}
