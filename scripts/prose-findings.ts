import { type Prose, proseOfTypeScript } from "./prose.ts";

/** A word that is never right in our texts, and what to write instead. */
export interface WrongWord {
  readonly word: string;
  readonly better: string;
}

interface Finding {
  readonly line: number;
  readonly what: string;
}

const COMMENT_COLUMNS = 120;
const DOCUMENT_COLUMNS = 140;
const EXCEPTION = /plain-words:(?<reason>.*)/;

/** The words of the table in docs/development/plain-words.md. */
export function wordsOf(document: string): readonly WrongWord[] {
  return [...document.matchAll(/^\| (?<words>`.+`) \| (?<better>.+) \|$/gm)].flatMap(({ groups }) =>
    [...(groups?.words ?? "").matchAll(/`([^`]+)`/g)].map(([, word = ""]) => ({ word, better: groups?.better ?? "" })),
  );
}

/** What is wrong with the texts of a file: words, the lengths of lines, and exceptions without a reason. */
export function proseFindings(path: string, source: string, words: readonly WrongWord[]): readonly string[] {
  const prose: readonly Prose[] = path.endsWith(".ts")
    ? proseOfTypeScript(source)
    : [{ kind: "document", line: 1, text: source }];
  const lines = source.split("\n");
  const findings = [
    ...prose.flatMap((piece) => [...wrongWords(piece, words), ...longLines(path, lines, piece)]),
    ...lines.flatMap((text, index) => withoutReason(text, index + 1)),
  ];
  return findings
    .filter(({ line }) => !hasReason(lines[line - 1]) && !hasReason(lines[line - 2]))
    .sort((a, b) => a.line - b.line)
    .map(({ line, what }) => `${path}:${line}: ${what}`);
}

function wrongWords({ line, text }: Prose, words: readonly WrongWord[]): readonly Finding[] {
  const checked = text.replace(/`[^`\n]*`/g, (name) => " ".repeat(name.length));
  return words.flatMap(({ word, better }) =>
    [...checked.matchAll(patternOf(word))].map(({ index }) => ({
      line: line + linesIn(checked.slice(0, index)),
      what: `'${word}': write ${better}`,
    })),
  );
}

/** The words with anything between them that a line break in a comment brings along. */
function patternOf(phrase: string): RegExp {
  return new RegExp(`\\b${phrase.split(" ").join("[\\s*/#>]+")}\\b`, "gi");
}

function longLines(path: string, lines: readonly string[], { kind, line, text }: Prose): readonly Finding[] {
  if (kind === "string" || (kind === "document" && !path.endsWith(".md"))) return [];
  const first = line - 1;
  const [most, counted] =
    kind === "comment"
      ? [COMMENT_COLUMNS, lines.slice(first, first + linesIn(text) + 1)]
      : [DOCUMENT_COLUMNS, withoutWideParts(text).split("\n")];
  return counted.flatMap(({ length }, index) =>
    length > most ? [{ line: line + index, what: `${length} columns: write at most ${most}` }] : [],
  );
}

/** Tables, code, quoted messages and the addresses of links may be wide, and so may generated documents. */
function withoutWideParts(text: string): string {
  if (text.startsWith("<!-- Generated")) return "";
  return text
    .replace(/^```[\s\S]*?^```/gm, (block) => "\n".repeat(linesIn(block)))
    .replace(/^ *[|>].*$/gm, "")
    .replace(/\]\([^)]*\)/g, "]");
}

function withoutReason(text: string, line: number): readonly Finding[] {
  const isException = /(?:\/\/|#|<!--|\*) plain-words:/.test(text);
  return isException && !hasReason(text)
    ? [{ line, what: "an exception without a reason: write why it is right" }]
    : [];
}

function hasReason(text = ""): boolean {
  return /\w/.test(EXCEPTION.exec(text)?.groups?.reason ?? "");
}

function linesIn(text: string): number {
  return text.split("\n").length - 1;
}
