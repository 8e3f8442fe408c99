/** A command as it was typed, and what it printed. */
export interface Typed {
  readonly command: string;
  readonly output: string;
}

interface Line {
  readonly kind: "command" | "output";
  readonly text: string;
}

const COLUMNS = 112;
const FONT_SIZE = 13;
/** Of a character, in a monospace font. */
const WIDTH = FONT_SIZE * 0.6;
const LEADING = 19;
const MARGIN = 18;

const STYLE = [
  `text { font: ${FONT_SIZE}px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; white-space: pre; }`,
  ".command { fill: #f0f6fc; }",
  ".output { fill: #9da7b3; }",
  ".prompt { fill: #3fb950; }",
].join(" ");

/** A terminal as an SVG: the same text makes the same picture, byte for byte. */
export function terminalPicture(session: readonly Typed[]): string {
  const lines = session.flatMap(linesOf);
  const width = Math.ceil(COLUMNS * WIDTH + 2 * MARGIN);
  const height = lines.length * LEADING + 2 * MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    "<!-- Recorded by scripts/record-terminal.ts; edits here are lost. -->",
    `<style>${STYLE}</style>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    ...lines.map((line, row) => text(line, MARGIN + row * LEADING + FONT_SIZE)),
    "</svg>\n",
  ].join("\n");
}

function linesOf({ command, output }: Typed): Line[] {
  return [...wrapped(`$ ${command}`, "command"), ...output.split("\n").flatMap((line) => wrapped(line, "output"))];
}

/** Empty lines only take room. */
function wrapped(text: string, kind: Line["kind"]): Line[] {
  const parts = text.trimEnd().match(new RegExp(`.{1,${COLUMNS}}`, "gu")) ?? [];
  return parts.map((part) => ({ kind, text: part }));
}

function text({ kind, text: shown }: Line, y: number): string {
  const isTyped = kind === "command" && shown.startsWith("$ ");
  const content = isTyped ? `<tspan class="prompt">$</tspan>${escaped(shown.slice(1))}` : escaped(shown);
  return `<text x="${MARGIN}" y="${y}" class="${kind}" xml:space="preserve">${content}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
