/** A place that keeps objects under keys: a bucket of S3, GCS or OSS, a container of Azure, or a volume. */
export interface ObjectStore {
  /** Such as "S3 bucket 'backups'"; for messages, and without credentials. */
  readonly description: string;
  /**
   * Stores what the source yields, whatever its size, with memory that does not grow with it. The object is there whole
   * or not at all: a failure, an abort or a source that throws leaves neither an object nor parts of one. One that was
   * there under the key is replaced.
   */
  put(key: string, source: AsyncIterable<Uint8Array>, options?: PutOptions): Promise<StoredObject>;
  /**
   * The object's bytes from `offset` on. A connection that breaks is resumed where it broke; an object that changed
   * meanwhile is an error.
   */
  get(key: string, options?: GetOptions): AsyncIterable<Uint8Array>;
  /** All objects whose keys begin with `prefix`, page by page, in no particular order. */
  list(prefix: string, options?: CallOptions): AsyncIterable<StoredObject>;
  /** Does nothing when there is no such object. */
  delete(key: string, options?: CallOptions): Promise<void>;
  /** Undefined when there is no such object; a missing bucket is an error. */
  stat(key: string, options?: CallOptions): Promise<StoredObject | undefined>;
  /** Lets go of connections; nothing may be called afterwards. */
  close(): Promise<void>;
}

export interface StoredObject {
  readonly key: string;
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface PutOptions extends CallOptions {
  /** Called with the bytes that were read of the source so far. */
  readonly onProgress?: (sentBytes: number) => void;
  /** A guess at the size, if there is one; it may be wrong. */
  readonly expectedBytes?: number;
}

export interface GetOptions extends CallOptions {
  readonly offset?: number;
  /** How many bytes at most; all that follow when absent. */
  readonly length?: number;
}
