/** Whose log it is. */
export interface Identity {
  readonly memberId: bigint;
  readonly clusterId: bigint;
}

const METADATA = 1n;

/**
 * Reads the beginning of a segment of etcd's write-ahead log: each has a record of whose log it is, after a checksum.
 * Undefined when there is none. A record is framed by eight bytes, little-endian: its length, and in the highest byte
 * its padding.
 */
export function walIdentity(head: Buffer): Identity | undefined {
  for (let offset = 0; offset + 8 <= head.length; ) {
    const frame = head.readBigUInt64LE(offset);
    const length = Number(frame & 0xff_ffff_ffff_ffffn);
    const padding = frame >> 63n ? Number((frame >> 56n) & 7n) : 0;
    const end = offset + 8 + length;
    // Zeros are space that etcd reserved and has not written to.
    if (length === 0 || end + padding > head.length) return undefined;
    const record = fieldsOf(head.subarray(offset + 8, end));
    if (record?.get(1) === METADATA) return identityIn(record.get(3));
    offset = end + padding;
  }
  return undefined;
}

function identityIn(data: Field | undefined): Identity | undefined {
  const metadata = Buffer.isBuffer(data) ? fieldsOf(data) : undefined;
  const [memberId, clusterId] = [metadata?.get(1), metadata?.get(2)];
  return typeof memberId === "bigint" && typeof clusterId === "bigint" ? { memberId, clusterId } : undefined;
}

type Field = bigint | Buffer;

/** The fields of a protobuf message that has only integers and bytes; undefined when it is something else. */
function fieldsOf(message: Buffer): Map<number, Field> | undefined {
  const fields = new Map<number, Field>();
  for (let offset = 0; offset < message.length; ) {
    const tag = varintAt(message, offset);
    const first = tag && varintAt(message, tag.end);
    if (!tag || !first) return undefined;
    const [field, wireType] = [Number(tag.value >> 3n), tag.value & 7n];
    if (wireType !== 0n && wireType !== 2n) return undefined;
    const isBytes = wireType === 2n;
    offset = isBytes ? first.end + Number(first.value) : first.end;
    if (offset > message.length) return undefined;
    fields.set(field, isBytes ? message.subarray(first.end, offset) : first.value);
  }
  return fields;
}

function varintAt(message: Buffer, start: number): { value: bigint; end: number } | undefined {
  let value = 0n;
  for (let index = 0; index < 10; index += 1) {
    const byte = message[start + index];
    if (byte === undefined) return undefined;
    value |= BigInt(byte & 0x7f) << BigInt(7 * index);
    if (byte < 0x80) return { value: BigInt.asUintN(64, value), end: start + index + 1 };
  }
  return undefined;
}
