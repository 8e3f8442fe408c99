import type { Service } from "kubernetes-types/core/v1.d.ts";
import type { EndpointSlice } from "kubernetes-types/discovery/v1.d.ts";
import { type ServiceEntry, serviceEntry } from "./service-entry.ts";

const SERVICE_NAME = "kubernetes.io/service-name";

/** All Services and what they stand for, kept in step with the API server one change at a time. */
export class ServiceDirectory {
  readonly #services = new Map<string, Service>();
  readonly #slices = new Map<string, Map<string, EndpointSlice>>();
  readonly #entries = new Map<string, ServiceEntry>();
  readonly #namespaces = new Map<string, number>();
  readonly #byAddress = new Map<string, Set<ServiceEntry>>();
  readonly #onChange: (key: string, entry: ServiceEntry | undefined) => void;

  constructor(onChange: (key: string, entry: ServiceEntry | undefined) => void = () => undefined) {
    this.#onChange = onChange;
  }

  entry(namespace: string, name: string): ServiceEntry | undefined {
    return this.#entries.get(`${namespace}/${name}`);
  }

  hasNamespace(namespace: string): boolean {
    return this.#namespaces.has(namespace);
  }

  /** The Services that have this address as their own or among their endpoints. */
  withAddress(ip: string): readonly ServiceEntry[] {
    return [...(this.#byAddress.get(ip) ?? [])];
  }

  setService(service: Service): void {
    const key = `${service.metadata?.namespace}/${service.metadata?.name}`;
    this.#services.set(key, service);
    this.#refresh(key);
  }

  removeService(service: Service): void {
    const key = `${service.metadata?.namespace}/${service.metadata?.name}`;
    this.#services.delete(key);
    this.#refresh(key);
  }

  setSlice(slice: EndpointSlice): void {
    const key = serviceKeyOf(slice);
    if (key === undefined) return;
    const slices = this.#slices.get(key) ?? new Map<string, EndpointSlice>();
    this.#slices.set(key, slices.set(slice.metadata?.name ?? "", slice));
    this.#refresh(key);
  }

  removeSlice(slice: EndpointSlice): void {
    const key = serviceKeyOf(slice);
    const slices = key === undefined ? undefined : this.#slices.get(key);
    if (key === undefined || !slices?.delete(slice.metadata?.name ?? "")) return;
    if (slices.size === 0) this.#slices.delete(key);
    this.#refresh(key);
  }

  #refresh(key: string): void {
    const old = this.#entries.get(key);
    const service = this.#services.get(key);
    const entry = service && serviceEntry(service, [...(this.#slices.get(key)?.values() ?? [])]);
    if (old) this.#forget(key, old);
    if (entry) this.#remember(key, entry);
    if (old || entry) this.#onChange(key, entry);
  }

  #remember(key: string, entry: ServiceEntry): void {
    this.#entries.set(key, entry);
    this.#namespaces.set(entry.namespace, (this.#namespaces.get(entry.namespace) ?? 0) + 1);
    for (const ip of addressesOf(entry)) {
      const known = this.#byAddress.get(ip) ?? new Set();
      this.#byAddress.set(ip, known.add(entry));
    }
  }

  #forget(key: string, entry: ServiceEntry): void {
    this.#entries.delete(key);
    const left = (this.#namespaces.get(entry.namespace) ?? 0) - 1;
    if (left > 0) this.#namespaces.set(entry.namespace, left);
    else this.#namespaces.delete(entry.namespace);
    for (const ip of addressesOf(entry)) {
      const known = this.#byAddress.get(ip);
      known?.delete(entry);
      if (known?.size === 0) this.#byAddress.delete(ip);
    }
  }
}

function serviceKeyOf({ metadata }: EndpointSlice): string | undefined {
  const service = metadata?.labels?.[SERVICE_NAME];
  return service === undefined ? undefined : `${metadata?.namespace}/${service}`;
}

function addressesOf({ clusterIp, endpoints }: ServiceEntry): string[] {
  return [...(clusterIp === undefined ? [] : [clusterIp]), ...endpoints.map(({ ip }) => ip)];
}
