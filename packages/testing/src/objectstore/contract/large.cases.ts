import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { content } from "./content.ts";
import type { ContractContext } from "./object-store-contract.ts";

const GIB = 2 ** 30;
const MIB = 2 ** 20;

/** Minutes long, so only with STORE_CONTRACT=large. */
export function largeCases({ open, aKey }: ContractContext): void {
  const isAskedFor = process.env.STORE_CONTRACT === "large";
  const because = isAskedFor ? "" : " (skipped: takes minutes, STORE_CONTRACT=large runs it)";
  describe.runIf(isAskedFor)(`a large object${because}`, () => {
    test("of 3 GiB comes back the same, with memory that does not grow with it", { timeout: 900_000 }, async () => {
      const store = await open("good", { idleTimeoutMs: 30_000, partBytes: 16 * MIB });
      const key = aKey();
      const [sent, received] = [createHash("sha256"), createHash("sha256")];
      const memory = peakMemory();
      async function* source() {
        for await (const chunk of content(3 * GIB)) {
          sent.update(chunk);
          yield chunk;
        }
      }
      await store.put(key, source(), { expectedBytes: 3 * GIB, onProgress: memory.look });
      for await (const chunk of store.get(key)) {
        received.update(chunk);
        memory.look();
      }
      expect(received.digest("hex")).toBe(sent.digest("hex"));
      expect(memory.grownBytes()).toBeLessThan(160 * MIB);
      await store.delete(key);
    });
  });
}

/** Buffers lie outside the heap, so the process's own size counts. */
function peakMemory() {
  const before = process.memoryUsage.rss();
  let peak = before;
  return {
    look: () => {
      peak = Math.max(peak, process.memoryUsage.rss());
    },
    grownBytes: () => peak - before,
  };
}
