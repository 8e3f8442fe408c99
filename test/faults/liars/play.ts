/** A client of ours that reads from outside, and what it can be asked. */
export interface Component {
  /** Such as "s3". */
  readonly name: string;
  /** By its name, such as "list". */
  readonly reads: Readonly<Record<string, Read>>;
  /** By its name, such as "endless-error". */
  readonly lies: Readonly<Record<string, Lie>>;
  /** Starts a server that lies about one read in one way until it is stopped, or always answers correctly. */
  serve(lying?: { readonly read: Read; readonly lie: Lie }): Promise<Liar>;
  /** A client of that server, which waits for so long in vain. */
  connect(address: string, patienceMs: number): Client | Promise<Client>;
  /** The code of an error of the component's boundary; undefined for any other error. */
  codeOf(error: unknown): string | undefined;
}

export interface Client {
  /** Carries out a read by its name. */
  ask(read: string): Promise<unknown>;
  close(): void | Promise<void>;
}

export interface Read {
  /** Which requests of it are lied about; all where it is absent. */
  readonly isAbout?: (request: { readonly method: string; readonly url: string }) => boolean;
  /** What the server would say to it, as far as a lie has to look like it. */
  readonly filler?: string;
  /** Lies that say nothing about it, or cannot be sent to it, with the reason. */
  readonly not?: Readonly<Record<string, string>>;
}

export interface Lie {
  /** How it ends; the codes of errors, and "answer" where an answer is as good. */
  readonly ends: readonly string[];
}

/** A server that lies, and what its lies came to. */
export interface Liar {
  readonly address: string;
  readonly spent: Spent;
  /** From now on it answers correctly. Connections that it lied on are closed. */
  repent(): void;
  close(): Promise<void>;
}

export interface Spent {
  /** What the other side took of one connection, at most. */
  mostBytes: number;
  /** How many requests were lied about. */
  lies: number;
}

/** One read, and one way to lie about it. */
export interface Play {
  readonly component: Component;
  readonly read: string;
  readonly lie: string;
}
