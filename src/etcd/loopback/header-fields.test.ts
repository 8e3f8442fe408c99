import { expect, test } from "vitest";
import { headerBlock, headerFields } from "./header-fields.ts";
import { huffmanText } from "./huffman.ts";

test("what is written is read", () => {
  const fields = { "grpc-status": "0", "grpc-message": "all is well" };
  expect(Object.fromEntries(headerFields(headerBlock(fields)))).toEqual(fields);
});

// The examples of RFC 7541, C.4 and C.6.
test("shortened texts are those of the standard", () => {
  const text = (hex: string) => huffmanText(Buffer.from(hex, "hex"));
  expect(text("f1e3c2e5f23a6ba0ab90f4ff")).toBe("www.example.com");
  expect(text("25a849e95ba97d7f")).toBe("custom-key");
  expect(text("d07abe941054d444a8200595040b8166e082a62d1bff")).toBe("Mon, 21 Oct 2013 20:13:21 GMT");
  expect(text("9d29ad171863c78f0b97c8e9ae82ae43d3")).toBe("https://www.example.com");
});

test("fields of HTTP/2's own list are left out but for the status, and a table that is shut says so", () => {
  // The size of the table, :status 200 from the list, content-type with a name from the list, and one in full.
  const block = Buffer.concat([
    Buffer.of(0x20, 0x88, 0x0f, 0x10, 1),
    Buffer.from("a"),
    headerBlock({ "grpc-status": "5" }),
  ]);
  const fields = headerFields(block);
  expect([fields.get(":status"), fields.get("grpc-status")]).toEqual(["200", "5"]);
  expect(headerFields(Buffer.concat([Buffer.of(0x08, 3), Buffer.from("503")])).get(":status")).toBe("503");
});

test("what refers to forgotten fields, or ends too early, is refused", () => {
  expect(() => headerFields(Buffer.of(0xff, 0))).toThrow(/told to forget/);
  expect(() => headerFields(Buffer.of(0x00, 5, 97))).toThrow(/end too early/);
});
