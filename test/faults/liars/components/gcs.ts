import { generateKeyPairSync } from "node:crypto";
import { gcsStore } from "@etcd-operator/object-store/gcs/gcs-store.ts";
import type { Truth } from "../http-liar.ts";
import { CONTENT, KEY, storeComponent } from "./store.ts";

const OBJECT = { name: KEY, size: "5", updated: "2026-11-18T12:00:00Z" };
const entry = `${JSON.stringify(OBJECT)},`;

const truth: Truth = (request, response) => {
  const { method = "", url = "" } = request;
  if (url.startsWith("/token")) return response.end(JSON.stringify({ access_token: "t", expires_in: 3_600 }));
  if (method === "POST") {
    const location = `http://${request.headers.host}/session`;
    return response.writeHead(200, { location }).end();
  }
  if (url.startsWith("/session") && method === "PUT") return response.end(JSON.stringify(OBJECT));
  if (url.startsWith("/session")) return response.writeHead(499).end();
  if (method === "DELETE") return response.writeHead(204).end();
  if (url.includes("alt=media")) {
    const range = /bytes=(\d+)-(\d*)/.exec(request.headers.range ?? "");
    const [from, to] = range ? [Number(range[1]), Number(range[2] || 4)] : [0, 4];
    const headers = { "content-length": to - from + 1, "x-goog-generation": "1" };
    return response.writeHead(range ? 206 : 200, headers).end(CONTENT.slice(from, to + 1));
  }
  return response.end(JSON.stringify(/\/o\?/.test(url) ? { items: [OBJECT] } : OBJECT));
};

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const credentialsJson = JSON.stringify({
  type: "service_account",
  client_email: "a@b",
  private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
  token_uri: "https://oauth2.googleapis.com/token",
});

const isToken = (url: string) => url.startsWith("/token");

export const gcs = storeComponent({
  name: "gcs",
  truth,
  reads: {
    token: { call: "stat", isAbout: ({ url }) => isToken(url), filler: '{"access_token": "t" ' },
    "begin-upload": { call: "put", isAbout: ({ method, url }) => method === "POST" && !isToken(url), filler: entry },
    "send-part": { call: "put", isAbout: ({ url }) => url.startsWith("/session"), filler: entry },
    get: {
      call: "get",
      isAbout: ({ url }) => !isToken(url),
      not: { "endless-answer": "all of it is the object", bomb: "it is not unpacked" },
    },
    "get-range": { call: "get-range", isAbout: ({ url }) => !isToken(url) },
    list: { call: "list", isAbout: ({ url }) => !isToken(url), filler: entry },
    stat: { call: "stat", isAbout: ({ url }) => !isToken(url), filler: entry },
    delete: { call: "delete", isAbout: ({ url }) => !isToken(url), filler: entry },
  },
  open: (address, tuning) =>
    gcsStore({ kind: "gcs", bucket: "b", endpoint: `http://${address}`, credentialsJson }, tuning, {}),
});
