import { createPrivateKey, sign } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GcsFake, startGcsFake } from "./gcs-fake.ts";

const GRANULE = 262_144;
const JWT_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";

let fake: GcsFake;
let token: string;
beforeAll(async () => {
  fake = await startGcsFake();
  token = fake.oauth.issue("the tests");
});
afterAll(() => fake.stop());

const ask = (path: string, init: RequestInit = {}) =>
  fetch(path.startsWith("http") ? path : `${fake.url}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${token}`, ...init.headers },
  });

async function begin(name: string, query = ""): Promise<string> {
  const path = `/upload/storage/v1/b/backups/o?uploadType=resumable&name=${name}${query}`;
  const { headers } = await ask(path, { method: "POST" });
  return headers.get("location") ?? "";
}

const chunk = (address: string, range: string, bytes = 0) =>
  fetch(address, { method: "PUT", headers: { "content-range": `bytes ${range}` }, body: Buffer.alloc(bytes) });

async function anObject(name: string, bytes: number): Promise<void> {
  await chunk(await begin(name), bytes === 0 ? "*/0" : `0-${bytes - 1}/${bytes}`, bytes);
}

describe("an upload to the fake of Google's store", () => {
  test("is incomplete until its last byte has come, and says how far it is", async () => {
    const address = await begin("steps");
    const first = await chunk(address, `0-${GRANULE - 1}/*`, GRANULE);
    expect([first.status, first.headers.get("range")]).toEqual([308, `bytes=0-${GRANULE - 1}`]);
    expect((await ask("/storage/v1/b/backups/o/steps")).status).toBe(404);
    expect((await chunk(address, "*/*")).status).toBe(308);
    const last = await chunk(address, `${GRANULE}-${GRANULE + 9}/${GRANULE + 10}`, 10);
    expect(await last.json()).toMatchObject({ name: "steps", size: String(GRANULE + 10) });
    expect((await chunk(address, "*/*")).status).toBe(200);
  });

  test.each([
    ["a chunk that begins behind what is there", `${GRANULE}-${2 * GRANULE - 1}/*`, GRANULE],
    ["a chunk of an odd size that is not the last", "0-99/*", 100],
    ["a chunk whose size is not the one it says", "0-99/100", 50],
    ["a range that ends before it begins", "9-0/10", 10],
    ["a range that cannot be read", "0-/*", 10],
  ])("refuses %s", async (_, range, bytes) => {
    expect((await chunk(await begin("refused"), range, bytes)).status).toBe(400);
  });

  test("that was cancelled takes nothing more", async () => {
    const address = await begin("cancelled");
    expect(fake.uploads.open).toContain("cancelled");
    expect((await fetch(address, { method: "DELETE" })).status).toBe(499);
    expect(fake.uploads.open).not.toContain("cancelled");
    expect((await chunk(address, "*/*")).status).toBe(499);
  });

  test("keeps its conditions", async () => {
    await anObject("conditional", 1);
    const path = "/upload/storage/v1/b/backups/o?uploadType=resumable&name=conditional&ifGenerationMatch=0";
    expect((await ask(path, { method: "POST" })).status).toBe(412);
  });

  test("needs a name that an object can have", async () => {
    const path = "/upload/storage/v1/b/backups/o?uploadType=resumable&name=";
    for (const name of ["", "..", "x".repeat(1_025), "a%0Ab"]) {
      expect((await ask(`${path}${name}`, { method: "POST" })).status).toBe(400);
    }
  });
});

describe("the fake of Google's store", () => {
  test("wants a good token for everything but uploads that have begun", async () => {
    for (const authorization of ["", "Bearer wrong", `Basic ${token}`]) {
      expect((await ask("/storage/v1/b/backups/o", { headers: { authorization } })).status).toBe(401);
    }
    const address = await begin("with a wrong token");
    expect((await fetch(address, { method: "PUT", headers: { authorization: "Bearer wrong" } })).status).toBe(401);
  });

  test("knows one bucket, no strange parameters, and slashes in names only when they are encoded", async () => {
    expect((await ask("/storage/v1/b/nowhere/o")).status).toBe(404);
    expect((await ask("/storage/v1/b/backups/o?max-results=1")).status).toBe(400);
    await anObject("a%2Fb", 1);
    expect((await ask("/storage/v1/b/backups/o/a%2Fb")).status).toBe(200);
    expect((await ask("/storage/v1/b/backups/o/a/b")).status).toBe(404);
  });

  test("lists by pages, and only the fields that are asked for", async () => {
    for (const name of ["p1", "p2", "p3"]) await anObject(name, 1);
    const fields = encodeURIComponent("items(name),nextPageToken");
    const path = `/storage/v1/b/backups/o?prefix=p&maxResults=2&fields=${fields}`;
    const first = (await (await ask(path)).json()) as { items: unknown; nextPageToken: string };
    expect(first).toEqual({ items: [{ name: "p1" }, { name: "p2" }], nextPageToken: expect.any(String) });
    const second = await (await ask(`${path}&pageToken=${first.nextPageToken}`)).json();
    expect(second).toEqual({ items: [{ name: "p3" }] });
  });

  test("gives ranges of the generation that is meant", async () => {
    await anObject("ranges", 100);
    const media = "/storage/v1/b/backups/o/ranges?alt=media";
    const part = await ask(media, { headers: { range: "bytes=90-" } });
    expect([part.status, part.headers.get("content-range")]).toEqual([206, "bytes 90-99/100"]);
    expect((await part.arrayBuffer()).byteLength).toBe(10);
    expect((await ask(media, { headers: { range: "bytes=100-" } })).status).toBe(416);
    const generation = part.headers.get("x-goog-generation");
    expect((await ask(`${media}&ifGenerationMatch=${generation}`)).status).toBe(200);
    await anObject("ranges", 100);
    expect((await ask(`${media}&ifGenerationMatch=${generation}`)).status).toBe(412);
  });
});

describe("the fake's tokens for service accounts", () => {
  const exchange = (assertion: string) =>
    fetch(`${fake.url}/token`, { method: "POST", body: new URLSearchParams({ grant_type: JWT_GRANT, assertion }) });

  let account: ReturnType<GcsFake["oauth"]["serviceAccount"]>;
  beforeAll(() => {
    account = fake.oauth.serviceAccount();
  });

  const assertionOf = (changes: Readonly<Record<string, unknown>> = {}, signedBy?: string) => {
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      iss: account.client_email,
      aud: account.token_uri,
      scope: "https://www.googleapis.com/auth/devstorage.read_write",
      ...{ iat: now, exp: now + 3_600, ...changes },
    };
    const parts = [{ alg: "RS256", typ: "JWT" }, claims].map((part) =>
      Buffer.from(JSON.stringify(part)).toString("base64url"),
    );
    const signature = sign(
      "RSA-SHA256",
      Buffer.from(parts.join(".")),
      createPrivateKey(signedBy ?? account.private_key),
    );
    return [...parts, signature.toString("base64url")].join(".");
  };

  test("are given for a statement that is signed and true", async () => {
    const answer = await exchange(assertionOf());
    expect(await answer.json()).toMatchObject({ access_token: expect.any(String), expires_in: 3_600 });
  });

  test.each([
    ["another account's signature", () => assertionOf({}, otherKey())],
    ["an unknown account", () => assertionOf({ iss: "unknown@nowhere" })],
    ["a statement for another audience", () => assertionOf({ aud: "https://elsewhere.example" })],
    ["another scope", () => assertionOf({ scope: "everything" })],
    ["a statement that has ended", () => assertionOf({ iat: 1, exp: 3_601 })],
    ["a statement that is good for too long", () => assertionOf({ exp: Math.floor(Date.now() / 1_000) + 9_999 })],
    ["no statement at all", () => "x.y.z"],
  ])("are refused for %s", async (_, assertion) => {
    const answer = await exchange(assertion());
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: "invalid_grant" });
  });

  const otherKey = () => fake.oauth.serviceAccount("another@project").private_key;
});
