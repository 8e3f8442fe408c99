import { badRequest } from "../api-error.ts";

/** One field as it stands on the wire; what it means, its number says. */
export interface ProtobufField {
  readonly number: number;
  readonly varint: bigint;
  readonly bytes: Buffer;
}

const NONE = Buffer.alloc(0);

/** Walks over the fields of a protobuf message. */
export class ProtobufReader implements Iterable<ProtobufField> {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  *[Symbol.iterator](): Generator<ProtobufField> {
    while (this.#at < this.#bytes.length) {
      const tag = Number(this.#varint());
      yield this.#field(tag >> 3, tag & 7);
    }
  }

  #field(number: number, wireType: number): ProtobufField {
    switch (wireType) {
      case 0:
        return { number, varint: this.#varint(), bytes: NONE };
      case 1:
        return { number, varint: 0n, bytes: this.#take(8) };
      case 2:
        return { number, varint: 0n, bytes: this.#take(Number(this.#varint())) };
      case 5:
        return { number, varint: 0n, bytes: this.#take(4) };
      default:
        throw badRequest(`the body is no protobuf: wire type ${wireType}`);
    }
  }

  #varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) break;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw badRequest("the body is no protobuf: a number has no end");
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw badRequest("the body is no protobuf: it ends too early");
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}
