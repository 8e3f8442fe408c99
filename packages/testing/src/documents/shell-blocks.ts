import { readFile } from "node:fs/promises";

/** The shell commands of a document, block by block, word for word; of one of its sections if that is named. */
export async function shellBlocks(document: string, heading?: string): Promise<string[]> {
  const text = await readFile(document, "utf8");
  const section = heading === undefined ? text : sectionOf(text, heading);
  if (section === undefined) throw new Error(`${document} has no section "${heading}"`);
  return shellBlocksIn(section);
}

/** Blocks within a list are indented; their commands are not. */
export function shellBlocksIn(markdown: string): string[] {
  const blocks = markdown.matchAll(/^( *)```sh\n([\s\S]*?)^\1```$/gm);
  return [...blocks].map(([, indent = "", commands = ""]) => commands.replaceAll(new RegExp(`^${indent}`, "gm"), ""));
}

function sectionOf(text: string, heading: string): string | undefined {
  const [, section] = text.split(`\n## ${heading}\n`);
  return section?.split(/^## /m)[0];
}
