import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** The path if it is a file that may be run, else undefined. */
export async function executableAt(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.X_OK);
    return path;
  } catch {
    return undefined;
  }
}

/** Where the shell would find the program, or undefined. */
export async function executableInPath(name: string, path = process.env.PATH ?? ""): Promise<string | undefined> {
  for (const folder of path.split(delimiter)) {
    const found = folder && (await executableAt(join(folder, name)));
    if (found) return found;
  }
  return undefined;
}
