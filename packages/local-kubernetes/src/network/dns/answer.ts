import type { Answer, Question } from "dns-packet";
import type { ServiceEndpoint, ServiceEntry } from "../service-entry.ts";

/** What names can be looked up in. */
export interface Names {
  entry(namespace: string, name: string): ServiceEntry | undefined;
  hasNamespace(namespace: string): boolean;
  withAddress(ip: string): readonly ServiceEntry[];
}

export interface Reply {
  readonly code: "NOERROR" | "NXDOMAIN";
  readonly answers: readonly Answer[];
  readonly additionals: readonly Answer[];
}

/** Seconds: no client shall cache an address for longer than it takes to replace a pod. */
export const TTL_SECONDS = 1;

const NO_SUCH_NAME: Reply = { code: "NXDOMAIN", answers: [], additionals: [] };
const NO_SUCH_TYPE: Reply = { code: "NOERROR", answers: [], additionals: [] };

/**
 * What a question is answered with, after the Kubernetes DNS specification. A name that exists but has no record of the
 * asked type is no error: resolvers that ask for A and AAAA at once would otherwise take the name for absent.
 */
export function answer(question: Question, names: Names, clusterDomain: string): Reply {
  const name = question.name.toLowerCase();
  if (name.endsWith(".in-addr.arpa")) return reverse(question, name, names, clusterDomain);
  const below = labelsBelow(name, clusterDomain);
  // There is no world outside the cluster: saying so at once is kinder than letting resolvers wait and retry.
  if (!below) return NO_SUCH_NAME;

  const [first, namespace, service, ...more] = below.reverse();
  if (first === undefined) return NO_SUCH_TYPE;
  if (first !== "svc") return NO_SUCH_NAME;
  if (namespace === undefined) return NO_SUCH_TYPE;
  if (service === undefined) return names.hasNamespace(namespace) ? NO_SUCH_TYPE : NO_SUCH_NAME;
  const entry = names.entry(namespace, service);
  return entry ? ofService(question, entry, more.reverse(), clusterDomain) : NO_SUCH_NAME;
}

function ofService(question: Question, entry: ServiceEntry, labels: readonly string[], clusterDomain: string): Reply {
  const [first = "", second = ""] = labels;
  if (labels.length === 0) return ofServiceItself(question, entry, clusterDomain);
  if (labels.length === 1) return ofEndpoint(question, entry, first);
  const isPort = labels.length === 2 && first.startsWith("_") && second.startsWith("_");
  return isPort ? ofPort(question, entry, first.slice(1), second.slice(1), clusterDomain) : NO_SUCH_NAME;
}

function ofServiceItself(question: Question, entry: ServiceEntry, clusterDomain: string): Reply {
  if (question.type === "SRV") return services(question, targets(entry, clusterDomain));
  const ips = entry.clusterIp === undefined ? entry.endpoints.map(({ ip }) => ip) : [entry.clusterIp];
  return addresses(question, ips);
}

function ofEndpoint(question: Question, entry: ServiceEntry, label: string): Reply {
  const ips = entry.endpoints.filter((endpoint) => endpoint.label === label).map(({ ip }) => ip);
  return ips.length === 0 ? NO_SUCH_NAME : addresses(question, ips);
}

function ofPort(question: Question, entry: ServiceEntry, port: string, protocol: string, domain: string): Reply {
  const found = targets(entry, domain).filter(
    (target) => target.portName === port && target.protocol.toLowerCase() === protocol,
  );
  if (found.length === 0) return NO_SUCH_NAME;
  return question.type === "SRV" ? services(question, found) : NO_SUCH_TYPE;
}

interface Target {
  readonly name: string;
  readonly ip: string;
  readonly port: number;
  readonly portName: string;
  readonly protocol: string;
}

function targets(entry: ServiceEntry, clusterDomain: string): Target[] {
  if (entry.clusterIp === undefined) {
    return entry.endpoints.flatMap((endpoint) =>
      endpoint.ports.map(({ name: portName, protocol, port }) => {
        return { name: nameOf(entry, clusterDomain, endpoint), ip: endpoint.ip, port, portName, protocol };
      }),
    );
  }
  const [name, ip] = [nameOf(entry, clusterDomain), entry.clusterIp];
  return entry.ports.map(({ name: portName, protocol, port }) => ({ name, ip, port, portName, protocol }));
}

function services({ name }: Question, found: readonly Target[]): Reply {
  const answers = found.map(({ port, name: target }): Answer => {
    return { type: "SRV", name, ttl: TTL_SECONDS, data: { port, target, priority: 0, weight: 100 } };
  });
  const byName = new Map(found.map((target) => [`${target.name} ${target.ip}`, target]));
  const additionals = [...byName.values()].map(({ name: target, ip }) => addressRecord(target, ip));
  return { code: "NOERROR", answers, additionals };
}

function addresses({ name, type }: Question, ips: readonly string[]): Reply {
  if (type !== "A" || ips.length === 0) return NO_SUCH_TYPE;
  return { code: "NOERROR", answers: [...new Set(ips)].map((ip) => addressRecord(name, ip)), additionals: [] };
}

/** etcd asks this way who a peer is whose certificate names hosts and not addresses. */
function reverse({ name, type }: Question, lowerName: string, names: Names, clusterDomain: string): Reply {
  const ip = lowerName.replace(".in-addr.arpa", "").split(".").reverse().join(".");
  const found = names.withAddress(ip).flatMap((entry) => {
    if (entry.clusterIp === ip) return [{ name: nameOf(entry, clusterDomain), isChosen: true }];
    return entry.endpoints
      .filter((endpoint) => endpoint.ip === ip)
      .map((endpoint) => ({ name: nameOf(entry, clusterDomain, endpoint), isChosen: endpoint.hasHostname }));
  });
  // Names made from the address tell nothing new: they are given only to those who have no other.
  const chosen = found.filter(({ isChosen }) => isChosen);
  const all = new Set((chosen.length > 0 ? chosen : found).map((it) => it.name));
  if (all.size === 0) return NO_SUCH_NAME;
  if (type !== "PTR") return NO_SUCH_TYPE;
  const answers = [...all].map((data): Answer => ({ type: "PTR", name, ttl: TTL_SECONDS, data }));
  return { code: "NOERROR", answers, additionals: [] };
}

function nameOf({ name, namespace }: ServiceEntry, clusterDomain: string, endpoint?: ServiceEndpoint): string {
  return `${endpoint ? `${endpoint.label}.` : ""}${name}.${namespace}.svc.${clusterDomain}`;
}

function addressRecord(name: string, ip: string): Answer {
  return { type: "A", name, ttl: TTL_SECONDS, data: ip };
}

/** The labels left of the domain; undefined for a name that is not below it. */
function labelsBelow(name: string, domain: string): string[] | undefined {
  if (name === domain) return [];
  return name.endsWith(`.${domain}`) ? name.slice(0, -domain.length - 1).split(".") : undefined;
}
