import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { LocalConfig } from "../config.ts";

type DnsConfig = Pick<LocalConfig, "dnsIp" | "clusterDomain">;

/** The name that a pod's processes find as the machine's. */
export function hostnameOf({ spec, metadata }: Pod): string {
  return (spec?.hostname ?? metadata?.name ?? "").slice(0, 63).replace(/[-.]+$/, "");
}

/** What a container finds in /etc, beside what comes from the machine. */
export function etcFiles(pod: Pod, podIp: string, dns: DnsConfig, machineResolvConf: string): Record<string, string> {
  return {
    hostname: `${hostnameOf(pod)}\n`,
    hosts: hosts(pod, podIp, dns),
    "resolv.conf": resolvConf(pod, dns, machineResolvConf),
    "nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\n",
    passwd:
      // plain-words: the name of a Linux user
      "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n" +
      "nonroot:x:65532:65532:nonroot:/home:/usr/sbin/nologin\n",
    group: "root:x:0:\nnogroup:x:65534:\nnonroot:x:65532:\n",
  };
}

function hosts(pod: Pod, podIp: string, { clusterDomain }: DnsConfig): string {
  const name = hostnameOf(pod);
  const { subdomain, hostAliases = [] } = pod.spec ?? {};
  const fullName = subdomain ? [`${name}.${subdomain}.${pod.metadata?.namespace}.svc.${clusterDomain}`] : [];
  return [
    "# Kubernetes-managed hosts file.",
    "127.0.0.1\tlocalhost",
    "::1\tlocalhost ip6-localhost ip6-loopback",
    [podIp, ...fullName, name].join("\t"),
    ...hostAliases.map(({ ip, hostnames = [] }) => [ip, ...hostnames].join("\t")),
    "",
  ].join("\n");
}

function resolvConf(pod: Pod, { dnsIp, clusterDomain }: DnsConfig, machineResolvConf: string): string {
  const { dnsPolicy = "ClusterFirst", dnsConfig } = pod.spec ?? {};
  if (dnsPolicy === "Default") return machineResolvConf;
  const isCluster = dnsPolicy !== "None";
  const domains = [`${pod.metadata?.namespace}.svc.${clusterDomain}`, `svc.${clusterDomain}`, clusterDomain];
  const servers = [...(isCluster ? [dnsIp] : []), ...(dnsConfig?.nameservers ?? [])];
  const searches = [...(isCluster ? domains : []), ...(dnsConfig?.searches ?? [])];
  const wished = (dnsConfig?.options ?? []).map(({ name, value }) =>
    value === undefined ? `${name}` : `${name}:${value}`,
  );
  const usual = isCluster && !wished.some((option) => option.startsWith("ndots")) ? ["ndots:5"] : [];
  const options = [...usual, ...wished];
  return [
    ...servers.map((server) => `nameserver ${server}`),
    ...(searches.length > 0 ? [`search ${searches.join(" ")}`] : []),
    ...(options.length > 0 ? [`options ${options.join(" ")}`] : []),
    "",
  ].join("\n");
}
