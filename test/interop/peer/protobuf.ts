/**
 * The little of protobuf that relay frames need, written from the encoding rules alone. Knows field numbers and wire
 * types, no frame.
 */

export type RawField = { no: number; wire: number; value: bigint | Buffer };

export function varint(value: number | bigint): Buffer {
  const out: number[] = [];
  let rest = BigInt(value);
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    out.push(rest > 0n ? low | 0x80 : low);
  } while (rest > 0n);
  return Buffer.from(out);
}

export function varintField(no: number, value: number | bigint): Buffer {
  return Buffer.concat([varint((no << 3) | 0), varint(value)]);
}

export function bytesField(no: number, value: Uint8Array | string): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'utf8') : value;
  return Buffer.concat([varint((no << 3) | 2), varint(bytes.length), bytes]);
}

export function readFields(bytes: Buffer): RawField[] {
  const fields: RawField[] = [];
  let at = 0;
  const readVarint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('cut short');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new Error('varint too long');
  };
  const readBytes = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Error('cut short');
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const key = Number(readVarint());
    const [no, wire] = [key >>> 3, key & 7];
    if (wire === 0) fields.push({ no, wire, value: readVarint() });
    else if (wire === 2) fields.push({ no, wire, value: readBytes(Number(readVarint())) });
    else if (wire === 1) fields.push({ no, wire, value: readBytes(8) });
    else if (wire === 5) fields.push({ no, wire, value: readBytes(4) });
    else throw new Error(`wire type ${wire}`);
  }
  return fields;
}
