import type { Secret } from "kubernetes-types/core/v1.d.ts";

/** Keys of Secrets whose values are public. */
const PUBLIC = /\.crt$|^(config|cloud|storage-account|accessKeyID)$/;
/** Shorter ones would be found by chance. */
const SHORTEST = 12;

/** What of a Secret must be seen nowhere else, as it is and as the API shows it. */
export function canariesIn({ data = {} }: Secret): readonly string[] {
  return Object.entries(data)
    .filter(([key]) => !PUBLIC.test(key))
    .flatMap(([, value]) => partsOf(Buffer.from(value, "base64").toString()))
    .flatMap((part) => [part, Buffer.from(part).toString("base64").replace(/=+$/, "")]);
}

/** Whether a Secret has any value that is not public. */
export function holdsSecrets({ data = {} }: Secret): boolean {
  return Object.entries(data).some(([key, value]) => !PUBLIC.test(key) && value !== "");
}

/** Of a file with several lines, each: an excerpt gives away as much. */
function partsOf(text: string): readonly string[] {
  return text
    .split(/\n|\\n/)
    .map((line) => line.replace(/^.*(?: = |": ?")/, "").trim())
    .filter((line) => line.length >= SHORTEST && !line.startsWith("-----") && !/^[[{]/.test(line));
}
