import type { EtcdClient } from "@etcd-operator/etcd-client";

/** A client for each address that was ever asked, so that asking again needs no other connection. */
export class EtcdClients {
  readonly #connect: (address: string) => EtcdClient;
  readonly #clients = new Map<string, EtcdClient>();

  constructor(connect: (address: string) => EtcdClient) {
    this.#connect = connect;
  }

  of(address: string): EtcdClient {
    const client = this.#clients.get(address) ?? this.#connect(address);
    this.#clients.set(address, client);
    return client;
  }

  close(): void {
    for (const client of this.#clients.values()) client.close();
    this.#clients.clear();
  }
}
