import { readFileSync } from "node:fs";

export interface Instruction {
  /** In capitals, such as "COPY". */
  readonly keyword: string;
  /** Such as "--from=build". */
  readonly flags: readonly string[];
  readonly words: readonly string[];
  /** All that follows the flags, lines joined. */
  readonly text: string;
}

export interface Stage {
  readonly base: string;
  readonly name: string | undefined;
  readonly instructions: readonly Instruction[];
}

/** The stages of the repository's Dockerfile, in order. */
export function dockerfileStages(): readonly Stage[] {
  const stages: { base: string; name: string | undefined; instructions: Instruction[] }[] = [];
  for (const instruction of instructionsOf(readFileSync("Dockerfile", "utf8"))) {
    if (instruction.keyword !== "FROM") {
      const stage = stages.at(-1);
      if (!stage) throw new Error(`${instruction.keyword} stands before the first FROM`);
      stage.instructions.push(instruction);
      continue;
    }
    const [base = "", , name] = instruction.words;
    stages.push({ base, name, instructions: [] });
  }
  return stages;
}

/** What the COPY instructions of a stage take from the repository. */
export function copiedFromContext(stage: Stage): readonly string[] {
  const copies = stage.instructions.filter(({ keyword, flags }) => keyword === "COPY" && !flags.some(isFrom));
  return copies.flatMap(({ words }) => words.slice(0, -1));
}

export function isFrom(flag: string): boolean {
  return flag.startsWith("--from=");
}

function instructionsOf(source: string): readonly Instruction[] {
  const withoutComments = source.replace(/^\s*#.*\n/gm, "");
  const lines = withoutComments.replace(/\\\n/g, " ").split("\n");
  return lines.filter((line) => line.trim() !== "").map(instructionOf);
}

function instructionOf(line: string): Instruction {
  const {
    keyword = "",
    flags = "",
    text = "",
  } = /^(?<keyword>\w+)\s+(?<flags>(?:--\S+\s+)*)(?<text>.*)$/.exec(line.trim())?.groups ?? {};
  if (keyword === "") throw new Error(`not an instruction: ${line}`);
  return { keyword: keyword.toUpperCase(), flags: wordsOf(flags), words: wordsOf(text), text };
}

function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}
