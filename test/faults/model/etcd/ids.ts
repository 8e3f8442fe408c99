import { createHash } from "node:crypto";

/**
 * As etcd makes them: the id of an initial member follows from its peer URLs and the token, so that those with
 * the same flags make the same cluster, also the second time. One that is added later gets one from the time, too.
 */
export function memberIdOf(peerUrls: readonly string[], token: string, atMs?: number): bigint {
  const when = atMs === undefined ? "" : String(Math.floor(atMs / 1000));
  return firstBytes(`${[...peerUrls].sort().join("")}${token}${when}`);
}

export function clusterIdOf(memberIds: readonly bigint[]): bigint {
  return firstBytes([...memberIds].sort((a, b) => (a < b ? -1 : 1)).join());
}

function firstBytes(text: string): bigint {
  return createHash("sha1").update(text).digest().readBigUInt64BE(0);
}
