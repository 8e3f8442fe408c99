/** Where the worker keeps what is not an object yet; no key leads there. */
export const UPLOADS_FOLDER = ".etcd-store-worker";

/**
 * The file of a key, relative to the volume. Ordinary keys are the names that people expect: "etcd/backup" is the file
 * backup in the folder etcd. What a file cannot be called is written as %XX, and so is a % that would be taken for one.
 * Undefined where there can be no file.
 */
export function fileOfKey(key: string): string | undefined {
  // Half a character has no bytes.
  if (key === "" || /\p{Surrogate}/u.test(key)) return undefined;
  const [first = "", ...others] = key.split("/").map(nameOf);
  const safe = first === UPLOADS_FOLDER ? escaped(first, /^\./) : first;
  return [safe, ...others].map(cut).join("/");
}

/** The other way round; undefined for a file that no key leads to. */
export function keyOfFile(file: string): string | undefined {
  const names = file.replaceAll(`${GOES_ON}/`, "").split("/");
  const key = names.map((name) => (name === NO_NAME ? "" : unescaped(name))).join("/");
  return fileOfKey(key) === file ? key : undefined;
}

const GOES_ON = "%~";
const NO_NAME = "%_";

function nameOf(part: string): string {
  if (part === "") return NO_NAME;
  const name = escaped(escaped(part, /%(?=[0-9A-F]{2}|[~_])/g), /\0/g);
  return name === "." || name === ".." ? escaped(name, /\./g) : name;
}

// File systems allow 255 bytes.
const LONGEST_NAME = 250;

/** A name that is too long, as folders that say that it goes on inside. */
function cut(name: string): string {
  const pieces: string[] = [];
  let bytes = LONGEST_NAME;
  for (const character of name) {
    bytes += Buffer.byteLength(character);
    if (bytes <= LONGEST_NAME) {
      pieces.push(`${pieces.pop()}${character}`);
      continue;
    }
    pieces.push(character);
    bytes = Buffer.byteLength(character);
  }
  return pieces.join(`${GOES_ON}/`);
}

function escaped(text: string, what: RegExp): string {
  return text.replace(what, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
}

function unescaped(name: string): string {
  return name.replace(/%([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
