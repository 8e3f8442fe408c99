import { ossStore } from "@etcd-operator/object-store/oss/oss-store.ts";
import { s3Store } from "@etcd-operator/object-store/s3/s3-store.ts";
import type { Truth } from "../http-liar.ts";
import type { Read } from "../play.ts";
import { CONTENT, KEY, LARGE_KEY, storeComponent, TWO_PARTS } from "./store.ts";

const DATE = "Wed, 18 Nov 2026 12:00:00 GMT";
const ENTRY = `<Contents><Key>${KEY}</Key><Size>5</Size><LastModified>2026-11-18T12:00:00Z</LastModified></Contents>`;
const NO_BODY = "an answer to HEAD has no body";
const asHead = {
  "endless-refusal": NO_BODY,
  "endless-error": NO_BODY,
  "dribbled-error": NO_BODY,
  "endless-answer": NO_BODY,
  "dribbled-answer": NO_BODY,
  "cut-answer": NO_BODY,
  bomb: NO_BODY,
};
const anyBody = { "endless-answer": "all of it is the object", bomb: "it is not unpacked" };

const isPart = (url: string) => url.includes("partNumber=");

const reads: Readonly<Record<string, Read & { call: string }>> = {
  put: { call: "put", isAbout: ({ method }) => method === "PUT" },
  "begin-upload": { call: "put-in-parts", isAbout: ({ method, url }) => method === "POST" && /[?&]uploads/.test(url) },
  "send-part": { call: "put-in-parts", isAbout: ({ url }) => isPart(url) },
  "complete-upload": {
    call: "put-in-parts",
    isAbout: ({ method, url }) => method === "POST" && url.includes("uploadId="),
  },
  get: { call: "get", isAbout: ({ method }) => method === "GET", not: anyBody },
  "get-range": { call: "get-range", isAbout: ({ method }) => method === "GET" },
  list: { call: "list", filler: ENTRY },
  stat: { call: "stat", not: asHead },
  delete: { call: "delete" },
};

const truth: Truth = (request, response) => {
  const { method = "", url = "" } = request;
  const object = { etag: '"e"', "last-modified": DATE };
  if (method === "HEAD") return response.writeHead(200, { ...object, "content-length": sizeIn(url) }).end();
  if (method === "DELETE") return response.writeHead(204).end();
  if (method === "PUT") return response.writeHead(200, object).end();
  if (/[?&]uploads/.test(url) && method === "POST")
    return response.end(xml("InitiateMultipartUploadResult", "<UploadId>u</UploadId>"));
  if (/[?&]uploads/.test(url)) return response.end(xml("ListMultipartUploadsResult", ""));
  if (method === "POST") return response.end(xml("CompleteMultipartUploadResult", "<ETag>e</ETag>"));
  if (url.includes("uploadId=")) return response.writeHead(404).end(xml("Error", "<Code>NoSuchUpload</Code>"));
  if (url.includes("list-type=2")) return response.end(xml("ListBucketResult", ENTRY));
  const range = /bytes=(\d+)-(\d*)/.exec(request.headers.range ?? "");
  const [from, to] = range ? [Number(range[1]), Number(range[2] || 4)] : [0, 4];
  const ranged = range && { "content-range": `bytes ${from}-${to}/5` };
  const headers = { ...object, ...ranged, "content-length": to - from + 1 };
  return response.writeHead(range ? 206 : 200, headers).end(CONTENT.slice(from, to + 1));
};

function sizeIn(url: string): number {
  return url.includes(LARGE_KEY) ? TWO_PARTS : CONTENT.length;
}

function xml(name: string, content: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><${name}>${content}</${name}>`;
}

const keys = { accessKeyId: "a", accessKeySecret: "s" };
const credentials = "[default]\naws_access_key_id = a\naws_secret_access_key = s\n";

export const s3 = storeComponent({
  name: "s3",
  truth,
  reads,
  open: (address, tuning) =>
    s3Store(
      { kind: "s3", bucket: "b", endpoint: `http://${address}`, forcePathStyle: true, profile: { credentials } },
      tuning,
    ),
});

/** The same protocol under another name: what both share is tried once. */
export const oss = storeComponent({
  name: "oss",
  truth,
  reads: Object.fromEntries(
    ["put", "get", "list", "stat", "delete"].map((name) => [name, reads[name] ?? { call: name }]),
  ),
  open: (address, tuning) => ossStore({ kind: "oss", bucket: "b", endpoint: `http://${address}`, ...keys }, tuning),
});
