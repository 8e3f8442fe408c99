/** Writes a protobuf message from its end to its beginning: the length of what is inside is then known when it is due. */
export class BackwardWriter {
  #bytes: Buffer;
  #at: number;

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafeSlow(capacity);
    this.#at = capacity;
  }

  /** How many bytes are written; a field that is opened later closes over them. */
  get size(): number {
    return this.#bytes.length - this.#at;
  }

  bytes(field: number, value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#at);
    this.close(field, this.size - value.length);
  }

  text(field: number, value: string): void {
    const length = Buffer.byteLength(value);
    this.#reserve(length);
    this.#bytes.write(value, this.#at, length, "utf8");
    this.close(field, this.size - length);
  }

  number(field: number, value: bigint | number): void {
    this.#varint(BigInt(value));
    this.#varint(BigInt(field << 3));
  }

  /** Makes one field of everything that was written since the size was `from`. */
  close(field: number, from: number): void {
    this.#small(this.size - from);
    this.#small((field << 3) | 2);
  }

  /** Forgets what a message before this one may have left half-way. */
  begin(): this {
    this.#at = this.#bytes.length;
    return this;
  }

  /** The message; what was written is over with the next one. */
  take(): Buffer {
    const message = this.#bytes.subarray(this.#at);
    this.#at = this.#bytes.length;
    return message;
  }

  #varint(value: bigint): void {
    if (value >= 0n && value < 0x7fff_ffffn) this.#small(Number(value));
    else {
      const bytes: number[] = [];
      // What is below zero is written as if it were above all others.
      let rest = BigInt.asUintN(64, value);
      for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
      bytes.push(Number(rest));
      this.#reserve(bytes.length);
      this.#bytes.set(bytes, this.#at);
    }
  }

  #small(value: number): void {
    const length = value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5;
    this.#reserve(length);
    let rest = value;
    for (let at = this.#at; at < this.#at + length - 1; at += 1) {
      this.#bytes[at] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.#at + length - 1] = rest;
  }

  #reserve(length: number): void {
    this.#at -= length;
    if (this.#at >= 0) return;
    this.#at = this.#bytes.length;
    throw new RangeError("the message is larger than it was said to be");
  }
}
