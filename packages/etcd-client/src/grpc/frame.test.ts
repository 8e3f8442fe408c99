import { describe, expect, test } from "vitest";
import { FrameSplitter, frame } from "./frame.ts";
import { GrpcFailure } from "./grpc-failure.ts";

const texts = ["a", "", "three words long"];
const wire = Buffer.concat(texts.map((text) => frame(Buffer.from(text))));

describe("FrameSplitter", () => {
  test("finds the same messages wherever the network cuts them", () => {
    for (let size = 1; size <= wire.length; size++) {
      const splitter = new FrameSplitter();
      const found: Uint8Array[] = [];
      for (let at = 0; at < wire.length; at += size) found.push(...splitter.push(wire.subarray(at, at + size)));
      expect(found.map((message) => Buffer.from(message).toString())).toEqual(texts);
      expect(splitter.isComplete).toBe(true);
    }
  });

  test("knows that a stream stopped inside a message", () => {
    const splitter = new FrameSplitter();
    expect([...splitter.push(wire.subarray(0, wire.length - 1))]).toHaveLength(2);
    expect(splitter.isComplete).toBe(false);
  });

  test("hands out copies, so that a small message does not keep the socket's buffer alive", () => {
    const chunk = Buffer.from(frame(Buffer.from("abc")));
    const [message] = new FrameSplitter().push(chunk);
    chunk.fill(0);
    expect(Buffer.from(message ?? []).toString()).toBe("abc");
  });

  test("where messages are over when the next is asked for, gives them all the same memory", () => {
    const splitter = new FrameSplitter({ isReusing: true });
    const [found, memory] = [[] as string[], new Set<ArrayBufferLike>()];
    for (const text of ["longest", "short", "as long", ""]) {
      for (const message of splitter.push(frame(Buffer.from(text)))) {
        found.push(Buffer.from(message).toString());
        memory.add(message.buffer);
      }
    }
    expect(found).toEqual(["longest", "short", "as long", ""]);
    expect(memory.size).toBe(1);
  });

  test("refuses compressed messages, which it never asked for", () => {
    expect(() => [...new FrameSplitter().push(Buffer.from([1, 0, 0, 0, 0]))]).toThrow(GrpcFailure);
  });

  test("refuses to allocate for an absurd length", () => {
    expect(() => [...new FrameSplitter().push(Buffer.from([0, 0xff, 0xff, 0xff, 0xff]))]).toThrow(
      /announced 4294967295 bytes/,
    );
  });

  test("sets no memory aside for more than the limit, which is 4 MiB", () => {
    expect(() => [...new FrameSplitter().push(Buffer.from([0, 0, 0x40, 0, 1]))]).toThrow(/limit of 4194304 bytes/);
    expect([...new FrameSplitter().push(Buffer.from([0, 0, 0x40, 0, 0]))]).toEqual([]);
    expect(() => [...new FrameSplitter({ mostBytes: 2 }).push(frame(Buffer.from("abc")))]).toThrow(/limit of 2 bytes/);
  });
});
