/** What an archive holds at one path. */
export type TarEntry =
  | { readonly kind: "file"; readonly path: string; readonly content: Buffer; readonly mode?: number }
  | { readonly kind: "folder"; readonly path: string; readonly mode?: number }
  | { readonly kind: "link"; readonly path: string; readonly target: string };

const BLOCK = 512;
const TYPES = { file: "0", link: "2", folder: "5" } as const;

/**
 * The entries as a POSIX archive, in pieces. Everything belongs to root and is from 1970: the same content, the same
 * bytes.
 */
export function tarArchive(entries: readonly TarEntry[]): Buffer[] {
  const end = Buffer.alloc(2 * BLOCK);
  return [...entries.flatMap((entry) => [header(entry), ...contentOf(entry)]), end];
}

function contentOf(entry: TarEntry): Buffer[] {
  if (entry.kind !== "file") return [];
  const padding = (BLOCK - (entry.content.length % BLOCK)) % BLOCK;
  return [entry.content, Buffer.alloc(padding)];
}

function header(entry: TarEntry): Buffer {
  const block = Buffer.alloc(BLOCK);
  const { prefix, name } = splitPath(entry.path);
  block.write(name, 0);
  block.write(octal(entry.kind === "link" ? 0o777 : (entry.mode ?? 0o755), 8), 100);
  for (const at of [108, 116]) block.write(octal(0, 8), at);
  block.write(octal(entry.kind === "file" ? entry.content.length : 0, 12), 124);
  block.write(octal(0, 12), 136);
  // The checksum counts its own field as blanks.
  block.write(" ".repeat(8), 148);
  block.write(TYPES[entry.kind], 156);
  if (entry.kind === "link") block.write(entry.target, 157, 100);
  block.write("ustar\u000000", 257);
  block.write(prefix, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 7)} `, 148);
  return block;
}

function octal(value: number, length: number): string {
  return `${value.toString(8).padStart(length - 1, "0")}\0`;
}

/** A path of more than 100 bytes has its first folders in a field of their own. */
function splitPath(path: string): { prefix: string; name: string } {
  if (Buffer.byteLength(path) <= 100) return { prefix: "", name: path };
  const at = path.indexOf("/", path.length - 101);
  if (at < 0 || at > 155) throw new Error(`the path "${path}" is too long for an archive`);
  return { prefix: path.slice(0, at), name: path.slice(at + 1) };
}
