import { once } from "node:events";
import { type AddressInfo, connect as connectPlain, createServer, type Server } from "node:net";
import { type ConnectionOptions, connect, createServer as createTlsServer } from "node:tls";
import { selfSignedCertificate } from "@etcd-operator/operator/transfer/trust/self-signed-certificate.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import { LONGEST_MESSAGE_BYTES, plainMessage } from "./plain-message.ts";

const RAW = /\bE[A-Z]{4,}\b|SSL|openssl|getaddrinfo|error:[0-9A-F]+|socket hang up|\n/;
const BAD_ALERT =
  "C0A7B0F3A17F0000:error:0A000412:SSL routines:ssl3_read_bytes:ssl/tls alert bad certificate:../deps/openssl/openssl/ssl/record/rec_layer_s3.c:1590:SSL alert number 42\n";

const cases: readonly (readonly [raw: string, plain: string])[] = [
  ["connect ECONNREFUSED 10.0.0.1:2379", "the connection to 10.0.0.1:2379 was refused: nothing listens there"],
  ["connect ECONNREFUSED [fd00::1]:2379", "the connection to [fd00::1]:2379 was refused: nothing listens there"],
  [
    "status on etcd a failed: connect ECONNREFUSED 10.0.0.1:2379, and b",
    "status on etcd a failed: the connection to 10.0.0.1:2379 was refused: nothing listens there, and b",
  ],
  ["read ECONNRESET", "the other side closed the connection"],
  ["write EPIPE", "the other side closed the connection"],
  ["put s3 'a/b': socket hang up", "put s3 'a/b': the other side closed the connection"],
  ["connect ETIMEDOUT 10.0.0.1:443", "no answer in time from 10.0.0.1:443"],
  [
    "connect EHOSTUNREACH 10.0.0.1:443 - Local (10.0.0.2:5000)",
    "there is no network route to 10.0.0.1:443 - Local (10.0.0.2:5000)",
  ],
  ["getaddrinfo ENOTFOUND minio.store.svc", "DNS does not know the name 'minio.store.svc'"],
  ["getaddrinfo EAI_AGAIN s3.example.com", "DNS gave no answer for 's3.example.com'"],
  [
    `status on etcd a failed: ${BAD_ALERT}`,
    "status on etcd a failed: the other side does not accept the certificate it was shown",
  ],
  [
    "00:error:0A00045C:SSL routines:ssl3_read_bytes:tlsv13 alert certificate required:rec_layer_s3.c:1605:SSL alert number 116",
    "the other side requires a client certificate",
  ],
  [
    "write EPROTO 80A:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/x.c:354:",
    "the other side does not use TLS",
  ],
  [
    "error:1C80006B:Provider routines:ossl_gcm_stream_update:cipher operation failed:x.c:3:",
    "the TLS connection failed",
  ],
  ["two\nlines,  and\ta tab ", "two lines, and a tab"],
  ["Put 'EtcdBackup' of ETCD_NAME in order", "Put 'EtcdBackup' of ETCD_NAME in order"],
];

describe("a message for a status or an Event", () => {
  test.each(cases)("of '%s' is '%s'", (raw, plain) => expect(plainMessage(raw)).toBe(plain));

  test.each<[string, () => Promise<string>]>([
    ["a port where nothing listens", async () => failureOf(connectPlain(await unusedPort(), "127.0.0.1"))],
    ["a name that DNS does not know", async () => failureOf(connectPlain(1, "no-such-name.invalid"))],
    [
      "a server without TLS",
      async () => tlsFailure(await listening(createServer((socket) => socket.end("HTTP/1.1 400\r\n\r\n")))),
    ],
    [
      "a server that wants a certificate",
      async () => tlsFailure(await listening(tlsServer({ requestCert: true, rejectUnauthorized: true }))),
    ],
    ["a server that hangs up", async () => tlsFailure(await listening(createServer((socket) => socket.destroy())))],
  ])("of what Node.js says about %s has no raw text", async (_, failure) => {
    const raw = await failure();
    expect(raw).not.toBe("");
    expect(plainMessage(`status on etcd 10.0.0.1:2379 failed: ${raw}`), raw).not.toMatch(RAW);
  });

  test("whatever is in it: one line of 1 KiB at most, and the same when it is made plain again", () => {
    const pieces = [
      "\n",
      " ",
      "é",
      "…",
      "𝄞",
      "word",
      BAD_ALERT,
      "connect ECONNREFUSED 10.0.0.1:2379",
      "x".repeat(700),
      "getaddrinfo ENOTFOUND a.b",
    ];
    for (let seed = 1; seed <= 2_000; seed += 1) {
      let state = seed;
      const draw = () => {
        state = (state * 48_271) % 2_147_483_647;
        return state;
      };
      const text = Array.from({ length: draw() % 60 }, () => pieces[draw() % pieces.length]).join(
        draw() % 2 ? " " : "",
      );
      const plain = plainMessage(text);
      expect(Buffer.byteLength(plain)).toBeLessThanOrEqual(LONGEST_MESSAGE_BYTES);
      expect(plain).not.toMatch(/\n|\uFFFD/);
      expect(plainMessage(plain)).toBe(plain);
    }
  });

  test("that is too long is cut between words", () => {
    const plain = plainMessage("twelve chars ".repeat(100));
    expect(plain.endsWith("twelve…") || plain.endsWith("chars…")).toBe(true);
  });
});

async function failureOf(socket: ReturnType<typeof connectPlain>): Promise<string> {
  onTestFinished(() => void socket.destroy());
  return new Promise((resolve) => {
    socket.on("error", ({ message }) => resolve(message));
    // In TLS 1.3 the server judges the certificate after the client thinks that all is well.
    socket.on("data", () => undefined);
    socket.on("close", () => resolve(""));
  });
}

async function tlsFailure(port: number, options: ConnectionOptions = {}): Promise<string> {
  return failureOf(connect({ host: "127.0.0.1", port, rejectUnauthorized: false, ...options }));
}

function tlsServer(options: object): Server {
  const now = Date.now();
  const pair = selfSignedCertificate({
    name: "a",
    notBefore: new Date(now - 60_000),
    notAfter: new Date(now + 600_000),
  });
  return createTlsServer({ ...pair, ...options });
}

async function listening(server: Server): Promise<number> {
  onTestFinished(() => void server.close());
  server.on("tlsClientError", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function unusedPort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
