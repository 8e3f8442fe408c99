import { absStore } from "@etcd-operator/object-store/abs/abs-store.ts";
import type { Truth } from "../http-liar.ts";
import { CONTENT, KEY, storeComponent } from "./store.ts";

const DATE = "Wed, 18 Nov 2026 12:00:00 GMT";
const BLOB = `<Blob><Name>${KEY}</Name><Properties><Last-Modified>${DATE}</Last-Modified><Etag>e</Etag><Content-Length>5</Content-Length></Properties></Blob>`;
const LIST = `<?xml version="1.0" encoding="utf-8"?><EnumerationResults><Blobs>${BLOB}</Blobs><NextMarker/></EnumerationResults>`;
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

const truth: Truth = (request, response) => {
  const { method = "", url = "" } = request;
  const object = { etag: '"e"', "last-modified": DATE, "x-ms-blob-type": "BlockBlob" };
  if (method === "PUT") return response.writeHead(201, object).end();
  if (method === "DELETE") return response.writeHead(202).end();
  if (url.includes("comp=list")) return response.writeHead(200, { "content-type": "application/xml" }).end(LIST);
  const range = /bytes=(\d+)-(\d*)/.exec(String(request.headers["x-ms-range"] ?? ""));
  const [from, to] = range ? [Number(range[1]), Number(range[2] || 4)] : [0, 4];
  const ranged = range && { "content-range": `bytes ${from}-${to}/5` };
  response.writeHead(range ? 206 : 200, { ...object, ...ranged, "content-length": to - from + 1 });
  return response.end(method === "HEAD" ? undefined : CONTENT.slice(from, to + 1));
};

export const abs = storeComponent({
  name: "abs",
  truth,
  reads: {
    "stage-block": { call: "put", isAbout: ({ url }) => /comp=block(&|$)/.test(url) },
    "commit-blocks": { call: "put", isAbout: ({ url }) => url.includes("comp=blocklist") },
    get: {
      call: "get",
      not: { "endless-answer": "all of it is the blob", bomb: "all that it unpacks to is the blob" },
    },
    "get-range": { call: "get-range", not: { bomb: "what it unpacks to is cut at the range" } },
    list: { call: "list", filler: BLOB },
    stat: { call: "stat", not: asHead },
    delete: { call: "delete" },
  },
  open: (address, tuning) =>
    absStore(
      { kind: "abs", container: "c", account: "account", accountKey: "a2V5", cloud: `http://${address}` },
      tuning,
    ),
});
