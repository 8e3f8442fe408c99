// How many bits each byte takes in the one Huffman code of HTTP/2 (RFC 7541, appendix B). The code is canonical: of the same length the
// smaller byte has the smaller code, and a longer code follows on the shorter ones. So lengths say everything.
const LENGTHS: readonly number[] = [
  ...[
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28,
  ],
  ...[
    28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12,
  ],
  ...[
    10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6,
  ],
  ...[5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22],
  ...[22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22],
  ...[21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23],
  ...[22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21],
  ...[21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27],
  ...[27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26],
];

const LONGEST = 30;

interface Codes {
  /** The smallest code of this length. */
  readonly first: number;
  readonly bytes: readonly number[];
}

const BY_LENGTH: readonly Codes[] = codesByLength();

function codesByLength(): Codes[] {
  const codes: Codes[] = [];
  let next = 0;
  for (let length = 0; length <= LONGEST; length += 1) {
    const bytes = LENGTHS.flatMap((each, byte) => (each === length ? [byte] : []));
    codes.push({ first: next, bytes });
    next = (next + bytes.length) * 2;
  }
  return codes;
}

/** The text in a string that was shortened; what is left over at its end is padding. */
export function huffmanText(bytes: Uint8Array): string {
  const text: number[] = [];
  let [code, length] = [0, 0];
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit -= 1) {
      code = code * 2 + ((byte >> bit) & 1);
      length += 1;
      const { first, bytes: ofLength } = BY_LENGTH[length] ?? { first: 0, bytes: [] };
      const found = ofLength[code - first];
      if (found === undefined) continue;
      text.push(found);
      [code, length] = [0, 0];
    }
  }
  return Buffer.from(text).toString("latin1");
}
