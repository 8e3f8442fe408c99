import { hasCode } from "../requests/kubernetes-error.ts";
import { messageOf } from "../values/message-of.ts";

/** A refusal by a rule of the cluster's administrator: Kubernetes' words for it, and what to do. */
interface Known {
  readonly words: RegExp;
  readonly remedy: (found: RegExpExecArray) => string;
}

/**
 * What Kubernetes says when it refuses an object, with what to do; the error's own message for all else. The words are
 * those of kube-apiserver's admission plugins, which are the same in all releases that we support.
 */
export function refusalInWords(error: unknown): string {
  const message = messageOf(error);
  if (!hasCode(error, "forbidden", "invalid")) return message;
  const said = message.slice(`${error.operation} failed: `.length);
  for (const { words, remedy } of KNOWN) {
    const found = words.exec(said);
    if (found) return `Kubernetes refuses it: ${shortened(said)}. ${remedy(found)}`;
  }
  return message;
}

/** What to do must not be what is cut off. */
const LONGEST_WORDS = 500;

function shortened(said: string): string {
  const line = said.replace(/\s+/g, " ").trim();
  return line.length <= LONGEST_WORDS ? line : `${line.slice(0, LONGEST_WORDS)}… (cut)`;
}

const KNOWN: readonly Known[] = [
  {
    words: /exceeded quota: ([^\s,]+)/,
    remedy: ([, quota]) => `Raise ResourceQuota '${quota}', or remove what it counts`,
  },
  {
    words: /failed quota: ([^\s:]+): must specify ([^;]+?) for: /,
    remedy: ([, quota, what]) =>
      `Set ${what} in spec.pod.resources, or give the namespace a LimitRange with defaults, as ResourceQuota '${quota}' asks for them`,
  },
  {
    words: /\b(?:maximum|minimum) storage usage per PersistentVolumeClaim is/,
    remedy: () => "Change spec.pod.persistentVolumeClaimSpec.resources, or the LimitRange of the namespace",
  },
  {
    words: /\b(?:maximum|minimum) \S+ usage per \w+ is|\blimit to request ratio per \w+ is/,
    remedy: () => "Change spec.pod.resources, or the LimitRange of the namespace",
  },
  {
    words: /no PriorityClass with name (\S+) was found/,
    remedy: ([, name]) => `Create PriorityClass '${name}', or correct spec.pod.priorityClassName`,
  },
  {
    words: /violates PodSecurity "(\w+):/,
    remedy: ([, level]) =>
      `Correct spec.pod.securityContext so that it fits level '${level}', or change the namespace's label pod-security.kubernetes.io/enforce`,
  },
  {
    words: /unable to validate against any security context constraint/,
    remedy: () =>
      "Leave user and group to the platform (spec.pod.securityContext: {}), or let the pods' ServiceAccount use another SecurityContextConstraints",
  },
  {
    words: /error looking up service account [^/\s]+\/([^:\s]+)/,
    remedy: ([, name]) => `Create ServiceAccount '${name}', or correct spec.pod.serviceAccountName`,
  },
  {
    words: /admission webhook "([^"]+)" denied the request/,
    remedy: ([, webhook]) => `Change the spec so that the policy behind webhook '${webhook}' allows it, or the policy`,
  },
  {
    words: /ValidatingAdmissionPolicy '([^']+)' with binding '[^']+' denied request/,
    remedy: ([, policy]) => `Change the spec so that ValidatingAdmissionPolicy '${policy}' allows it, or the policy`,
  },
  {
    words: /User "([^"]+)" cannot (\w+) resource "([^"]+)"/,
    remedy: ([, user, verb, resource]) =>
      `Let '${user}' ${verb} ${resource}: install the operator's role as it is in this release`,
  },
  {
    words: /because it is being terminated/,
    remedy: () => "The namespace is being deleted: nothing is created in it any more",
  },
];
