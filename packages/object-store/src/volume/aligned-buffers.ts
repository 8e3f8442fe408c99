// Node.js has it; TypeScript declares it among what only browsers have.
declare const WebAssembly: {
  readonly Memory: new (size: {
    readonly initial: number;
    readonly maximum: number;
  }) => { readonly buffer: ArrayBuffer };
};

const WASM_PAGE_BYTES = 64 * 1024;

/**
 * Two buffers that begin at a page of memory, as writing past the page cache demands. An ordinary Buffer does not say
 * where it lies; the memory of WebAssembly is the only one in Node.js that is known to begin so.
 */
export function alignedBuffers(sizeBytes: number): [Buffer, Buffer] {
  const pages = Math.ceil((2 * sizeBytes) / WASM_PAGE_BYTES);
  const { buffer } = new WebAssembly.Memory({ initial: pages, maximum: pages });
  return [Buffer.from(buffer, 0, sizeBytes), Buffer.from(buffer, sizeBytes, sizeBytes)];
}
