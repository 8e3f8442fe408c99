import { expect, test } from "vitest";
import { orderText, parseOrder } from "./member-order.ts";

const plain = { endpoint: { address: "10.0.0.1:2379" }, clusterId: 2n ** 63n + 1n, memberId: 255n, dbSizeBytes: 20480 };

test("an order arrives as it was meant, also with ids that no number of JSON holds", () => {
  expect(parseOrder(orderText(plain))).toEqual(plain);
});

test("certificates arrive as text, whatever they were read as", () => {
  const tls = { ca: Buffer.from("ca"), cert: "cert", key: new Uint8Array([107]) };
  const { endpoint } = parseOrder(
    orderText({ ...plain, endpoint: { ...plain.endpoint, tls, serverName: "a.example" } }),
  );
  const texts = { ca: "ca", cert: "cert", key: "k" };
  expect(endpoint).toEqual({ ...plain.endpoint, tls: texts, serverName: "a.example" });
});
