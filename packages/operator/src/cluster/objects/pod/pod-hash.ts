import type { Observation, PodSeen } from "../../model/observation.ts";
import { hasTlsDefects } from "../../tls/tls-step.rule.ts";
import { fingerprint } from "./fingerprint.ts";

/**
 * Changes with every edit of the spec that a member has to start with: of its image, and of anything that rolls its
 * pod.
 */
export function podHash({ specHash, askedImage, image }: Pick<PodSeen, "specHash" | "askedImage" | "image">): string {
  return fingerprint({ specHash: specHash ?? null, image: askedImage ?? image ?? null });
}
/**
 * Changes also when the certificates become unusable, and when they are fixed: a member that waited for that has its
 * full time again.
 */
export function givenHash(pod: PodSeen, seen: Pick<Observation, "cluster" | "tls" | "pods">): string {
  const hash = podHash(pod);
  return hasTlsDefects(seen) ? fingerprint({ hash, hasTlsDefects: true }) : hash;
}
