/** Told by a controller of its queue and its passes. */
export interface PassObserver {
  depth(keys: number): void;
  /** How long a key that is now taken was ready and waited for its turn. */
  waited(ms: number): void;
  ended(key: string, durationMs: number): void;
  failed(key: string, reason: string): void;
  /** The object is gone. */
  forgotten(key: string): void;
}
