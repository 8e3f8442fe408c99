import { readFile } from "node:fs/promises";

/** The shell commands of one section of a document, block by block, as they stand there. */
export async function shellBlocks(document: string, heading: string): Promise<string[]> {
  const text = await readFile(document, "utf8");
  const [, section] = text.split(`\n## ${heading}\n`);
  if (section === undefined) throw new Error(`${document} has no section "${heading}"`);
  const [own = ""] = section.split(/^## /m);
  return [...own.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, commands = ""]) => commands);
}
