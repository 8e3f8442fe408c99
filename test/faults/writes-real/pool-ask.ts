import type { Connection } from "@etcd-operator/kubernetes-client/connect/connection.ts";
import { Pool } from "undici";
import type { Ask } from "../world/in-process-carrier.ts";

export interface PoolAsk {
  readonly ask: Ask;
  close(): Promise<void>;
}

/** Asks a real API server, over connections that all callers share. */
export async function poolAsk({ server, ca, credentials }: Connection): Promise<PoolAsk> {
  const { cert, key } = await credentials.current();
  const tls = { ...(ca && { ca }), ...(cert && key && { cert, key }) };
  const pool = new Pool(new URL(server).origin, { connect: tls, headersTimeout: 0, bodyTimeout: 0, allowH2: false });
  return {
    async ask({ method, path, headers, body, signal }) {
      const answer = await pool.request({
        ...{ method: method as "GET", path, headers, body: body ?? null },
        ...(signal && { signal }),
      });
      // undici leaves out what was not sent.
      return { statusCode: answer.statusCode, headers: answer.headers as Record<string, string>, body: answer.body };
    },
    close: () => pool.destroy(),
  };
}
