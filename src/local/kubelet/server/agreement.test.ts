import assert from "node:assert/strict";
import type { IncomingHttpHeaders } from "node:http";
import { test } from "vitest";
import { agreementFor } from "./agreement.ts";

const spoken = { websocket: ["v5", "v4"], spdy: ["p"], "spdy in a websocket": ["p"] };

test.each<[string, IncomingHttpHeaders, object]>([
  [
    "a tunnel is preferred",
    { upgrade: "websocket", "sec-websocket-protocol": "v4, SPDY/3.1+p" },
    { carrier: "spdy in a websocket", protocol: "p", answer: ["Sec-WebSocket-Protocol: SPDY/3.1+p"] },
  ],
  [
    "of several protocols the best is taken",
    { upgrade: "websocket", "sec-websocket-protocol": "v4,v5" },
    { carrier: "websocket", protocol: "v5", answer: ["Sec-WebSocket-Protocol: v5"] },
  ],
  [
    "a WebSocket without a protocol gets the oldest",
    { upgrade: "websocket" },
    { carrier: "websocket", protocol: "v4", answer: [] },
  ],
  [
    "SPDY names its protocol in a header of its own",
    { upgrade: "SPDY/3.1", "x-stream-protocol-version": "q, p" },
    { carrier: "spdy", protocol: "p", answer: ["X-Stream-Protocol-Version: p"] },
  ],
])("%s", (_, headers, expected) => {
  assert.deepEqual(agreementFor({ headers }, spoken), expected);
});

test("where nothing fits, both sides are named", () => {
  const headers = { upgrade: "SPDY/3.1", "x-stream-protocol-version": "q" };
  assert.equal(
    agreementFor({ headers }, spoken),
    "unable to upgrade: unable to negotiate protocol: client supports [q], server accepts [p]",
  );
  assert.match(String(agreementFor({ headers: { upgrade: "h2c" } }, spoken)), /unknown protocol "h2c"/);
});
