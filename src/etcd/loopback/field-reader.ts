/** Walks over the fields of a protobuf message, one after the other and without a copy. */
export class FieldReader {
  readonly #bytes: Buffer;
  #at: number;
  #end: number;
  /** Of the field that `next` has come to. */
  field = 0;
  #wireType = 0;

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = at;
    this.#end = end;
  }

  /** False at the end of the message. */
  next(): boolean {
    if (this.#at >= this.#end) return false;
    const tag = this.#length();
    this.field = tag >>> 3;
    this.#wireType = tag & 7;
    return true;
  }

  number(): bigint {
    const small = this.#small();
    return small === undefined ? this.#long() : BigInt(small);
  }

  /** A view. */
  bytes(): Buffer {
    const length = this.#length();
    const at = this.#at;
    this.#at += length;
    if (this.#at > this.#end) throw new Error("the message ends too early");
    return this.#bytes.subarray(at, this.#at);
  }

  message(): FieldReader {
    const length = this.#length();
    const at = this.#at;
    this.#at += length;
    if (this.#at > this.#end) throw new Error("the message ends too early");
    return new FieldReader(this.#bytes, at, this.#at);
  }

  skip(): void {
    if (this.#wireType === 0) while ((this.#bytes[this.#at++] ?? 0) >= 0x80);
    else if (this.#wireType === 1) this.#at += 8;
    else if (this.#wireType === 5) this.#at += 4;
    else if (this.#wireType === 2) this.bytes();
    else throw new Error(`the message has a field of the unknown type ${this.#wireType}`);
  }

  #length(): number {
    const small = this.#small();
    if (small === undefined) throw new Error("a length in the message has no end");
    return small;
  }

  /** Undefined: it takes more bits than a number has. */
  #small(): number | undefined {
    let [value, factor] = [0, 1];
    for (let at = this.#at; at < this.#at + 7; at += 1) {
      const byte = this.#bytes[at] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) {
        this.#at = at + 1;
        return value;
      }
      factor *= 0x80;
    }
    return undefined;
  }

  /** What takes more bits than a number has, and what is below zero. */
  #long(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at++] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, value);
    }
    throw new Error("a number in the message has no end");
  }
}
