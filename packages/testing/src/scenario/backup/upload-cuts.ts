import type { Random } from "../../../../../test/model/random.ts";
import type { Cloud } from "./cloud-places.ts";

/** Where the upload of one backup breaks. */
export interface Cut {
  readonly what: "body" | "answer";
  /** Of requests, as the proxy writes them down. */
  readonly only: RegExp;
  readonly afterBytes: number;
}

interface Requests {
  /** The request that carries a byte of the object, and where in its body. */
  body(name: string, at: number): { readonly only: string; readonly afterBytes: number };
  /** Those whose answer may get lost, beside that. */
  others(name: string): readonly string[];
}

const PART_BYTES = 8 * 2 ** 20;

const s3: Requests = {
  body: (name, at) => ({
    only: `PUT .*/${name}\\?.*partNumber=${1 + Math.floor(at / PART_BYTES)}&`,
    afterBytes: at % PART_BYTES,
  }),
  others: (name) => [`POST .*/${name}\\?uploads`, `POST .*/${name}\\?uploadId`, `PUT .*/${name}\\.metadata\\.json`],
};

const REQUESTS: Readonly<Record<Cloud, Requests>> = {
  s3,
  oss: s3,
  azure: {
    body(name, at) {
      // The end of a block's id says which it is.
      const end = `-${String(Math.floor(at / PART_BYTES)).padStart(5, "0")}`;
      const only = `PUT .*/${name}\\?.*blockid=[^&]*${Buffer.from(end).toString("base64")}`;
      return { only, afterBytes: at % PART_BYTES };
    },
    others: (name) => [`PUT .*/${name}\\?.*comp=blocklist`, `PUT .*/${name}\\.metadata\\.json`],
  },
  gcs: {
    // All of a small one goes in one request, which does not name it. Bodies that are shorter, as that of the metadata,
    // pass.
    body: (_, at) => ({ only: "PUT .*upload_id=", afterBytes: at }),
    others: (name) => [`POST .*[?&]name=${name}(&|$)`, `POST .*[?&]name=${name}\\.metadata\\.json`],
  },
};

/** Anywhere in the bytes of an object, mostly; now and then it is an answer that gets lost. */
export function uploadCut(cloud: Cloud, name: string, sizeBytes: number, random: Random): Cut {
  const { body, others } = REQUESTS[cloud];
  const { only, afterBytes } = body(name, random.int(sizeBytes));
  if (random.chance(0.7)) return { what: "body", only: new RegExp(only), afterBytes };
  return { what: "answer", only: new RegExp(random.pick([only, ...others(name)]) ?? only), afterBytes: 0 };
}
