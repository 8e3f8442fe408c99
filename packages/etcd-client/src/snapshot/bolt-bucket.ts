import { BoltDefect, type BoltFile } from "./bolt-file.ts";
import { type BoltMeta, PAGE_HEADER_BYTES } from "./bolt-meta.ts";

/** An open database. */
export interface Bolt {
  readonly file: BoltFile;
  readonly meta: BoltMeta;
}

/**
 * Where a page lies. That of a small bucket lies in the value that stands for the bucket, and not on a page of its own.
 */
interface Page {
  readonly kind: "branch" | "leaf";
  readonly at: number;
  readonly end: number;
  readonly count: number;
}

/** A tree of keys and values; some of the values stand for further buckets. */
export interface Bucket {
  readonly root: Page;
}

interface Element {
  readonly keyAt: number;
  readonly keyBytes: number;
}

interface LeafElement extends Element {
  readonly isBucket: boolean;
  readonly valueAt: number;
  readonly valueBytes: number;
}

const ELEMENT_BYTES = 16;
const BUCKET_HEADER_BYTES = 16;
const PAGE_FLAGS = { branch: 0x01, leaf: 0x02 } as const;
const BUCKET_FLAG = 0x01;
/** Deeper than any tree of 2^64 pages, and an end to one that leads back to itself. */
const DEEPEST = 32;
/** Keys and values that are looked at are a few bytes long. */
const LONGEST = 4096;

export async function rootBucket(bolt: Bolt): Promise<Bucket> {
  return { root: await pageOf(bolt, bolt.meta.rootPage) };
}

/** Undefined when there is no bucket of that name. */
export async function bucketIn(bolt: Bolt, { root }: Bucket, name: string): Promise<Bucket | undefined> {
  const found = await find(bolt, root, name);
  if (!found?.isBucket) return undefined;
  if (found.valueBytes < BUCKET_HEADER_BYTES) throw new BoltDefect(`its bucket '${name}' has no header`);
  const page = Number((await bolt.file.view(found.valueAt, 8)).getBigUint64(0, true));
  if (page !== 0) return { root: await pageOf(bolt, page) };
  const inside = { at: found.valueAt + BUCKET_HEADER_BYTES, end: found.valueAt + found.valueBytes };
  return { root: await pageAt(bolt, inside) };
}

/** Undefined when there is no such key. */
export async function valueIn(bolt: Bolt, { root }: Bucket, key: string): Promise<Uint8Array | undefined> {
  const found = await find(bolt, root, key);
  if (!found || found.isBucket) return undefined;
  if (found.valueBytes > LONGEST) throw new BoltDefect(`the value of '${key}' has ${found.valueBytes} bytes`);
  return bolt.file.bytes(found.valueAt, found.valueBytes);
}

/** The greatest key; undefined when the bucket is empty. */
export async function lastKeyIn(bolt: Bolt, { root }: Bucket): Promise<Uint8Array | undefined> {
  if (root.kind === "leaf" && root.count === 0) return undefined;
  const leaf = await leafBelow(bolt, root, async (branch) => branch.count - 1);
  return keyOf(bolt, await leafElement(bolt, leaf, leaf.count - 1));
}

async function find(bolt: Bolt, root: Page, name: string): Promise<LeafElement | undefined> {
  const wanted = Buffer.from(name);
  const leaf = await leafBelow(bolt, root, async (branch) => {
    let child = 0;
    // A branch names the least key of each child.
    for (let index = 1; index < branch.count; index += 1) {
      const { element } = await branchElement(bolt, branch, index);
      if (wanted.compare(await keyOf(bolt, element)) < 0) break;
      child = index;
    }
    return child;
  });
  for (let index = 0; index < leaf.count; index += 1) {
    const element = await leafElement(bolt, leaf, index);
    if (element.keyBytes === wanted.length && wanted.equals(await keyOf(bolt, element))) return element;
  }
  return undefined;
}

async function leafBelow(bolt: Bolt, root: Page, choose: (branch: Page) => Promise<number>): Promise<Page> {
  let page = root;
  for (let depth = 0; page.kind === "branch"; depth += 1) {
    if (depth === DEEPEST) throw new BoltDefect("its pages form no tree");
    const { child } = await branchElement(bolt, page, await choose(page));
    page = await pageOf(bolt, child);
  }
  return page;
}

async function pageOf(bolt: Bolt, id: number): Promise<Page> {
  const { pageSize, pages } = bolt.meta;
  // The first two describe the database.
  if (id < 2 || id >= pages) throw new BoltDefect(`it refers to page ${id} of ${pages}`);
  const at = id * pageSize;
  const header = await bolt.file.view(at, PAGE_HEADER_BYTES);
  const written = Number(header.getBigUint64(0, true));
  if (written !== id) throw new BoltDefect(`where page ${id} should be, page ${written} is`);
  const last = id + header.getUint32(12, true);
  if (last >= pages) throw new BoltDefect(`page ${id} reaches up to page ${last} of ${pages}`);
  return pageAt(bolt, { at, end: (last + 1) * pageSize });
}

async function pageAt(bolt: Bolt, { at, end }: Pick<Page, "at" | "end">): Promise<Page> {
  if (at + PAGE_HEADER_BYTES > end) throw new BoltDefect(`at byte ${at} there is no room for a page`);
  const header = await bolt.file.view(at, PAGE_HEADER_BYTES);
  const flags = header.getUint16(8, true);
  const count = header.getUint16(10, true);
  const isBranch = flags === PAGE_FLAGS.branch;
  if (!isBranch && flags !== PAGE_FLAGS.leaf) throw new BoltDefect(`the page at byte ${at} is of no known kind`);
  if (isBranch && count === 0) throw new BoltDefect(`the page at byte ${at} leads nowhere`);
  return { kind: isBranch ? "branch" : "leaf", at, end, count };
}

async function branchElement(bolt: Bolt, page: Page, index: number): Promise<{ element: Element; child: number }> {
  const { view, at } = await elementAt(bolt, page, index);
  const element = { keyAt: at + view.getUint32(0, true), keyBytes: view.getUint32(4, true) };
  checkWithin(page, element.keyAt, element.keyBytes);
  return { element, child: Number(view.getBigUint64(8, true)) };
}

async function leafElement(bolt: Bolt, page: Page, index: number): Promise<LeafElement> {
  const { view, at } = await elementAt(bolt, page, index);
  const keyAt = at + view.getUint32(4, true);
  const keyBytes = view.getUint32(8, true);
  const valueBytes = view.getUint32(12, true);
  checkWithin(page, keyAt, keyBytes + valueBytes);
  const isBucket = (view.getUint32(0, true) & BUCKET_FLAG) !== 0;
  return { isBucket, keyAt, keyBytes, valueAt: keyAt + keyBytes, valueBytes };
}

async function elementAt(bolt: Bolt, page: Page, index: number): Promise<{ view: DataView; at: number }> {
  if (index < 0) throw new BoltDefect(`the page at byte ${page.at} is empty`);
  const at = page.at + PAGE_HEADER_BYTES + index * ELEMENT_BYTES;
  checkWithin(page, at, ELEMENT_BYTES);
  return { view: await bolt.file.view(at, ELEMENT_BYTES), at };
}

function checkWithin(page: Page, at: number, length: number): void {
  if (at + length > page.end) throw new BoltDefect(`the page at byte ${page.at} refers to bytes beyond its end`);
}

async function keyOf(bolt: Bolt, { keyAt, keyBytes }: Element): Promise<Uint8Array> {
  if (keyBytes > LONGEST) throw new BoltDefect(`the key at byte ${keyAt} has ${keyBytes} bytes`);
  return bolt.file.bytes(keyAt, keyBytes);
}
