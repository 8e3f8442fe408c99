import type { Patch } from "./mutant.ts";

/** A source with the patches that are for it; throws where one does not fit, as then nothing would be tested. */
export function patched(source: string, file: string, patches: readonly Patch[]): string {
  return patches
    .filter((patch) => patch.file === file)
    .reduce((text, { find, replace }) => {
      const [before, after, ...more] = text.split(find);
      if (before === undefined || after === undefined || more.length > 0) {
        throw new Error(
          `packages/${file} has to have this once, and has it ${text.split(find).length - 1} times: ${find}`,
        );
      }
      return `${before}${replace}${after}`;
    }, source);
}
