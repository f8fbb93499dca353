/** A value of a GGUF key, with its type. */
export type GgufValue =
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'f32'; readonly value: number }
  | { readonly type: 'i32[]'; readonly value: readonly number[] }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'string[]'; readonly value: readonly string[] }
  | { readonly type: 'u32'; readonly value: number };

/** A tensor of 32-bit floats. */
export interface GgufTensor {
  readonly name: string;
  /** Fastest first. */
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

const ALIGNMENT = 32;
/** Value type numbers (GGUF specification, "File structure"). */
const TYPES = { u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9 } as const;
const TENSOR_F32 = 0;

/** Writes a GGUF file, version 3, little endian. */
export function writeGguf(
  keys: Readonly<Record<string, GgufValue>>,
  tensors: readonly GgufTensor[],
): Buffer {
  const entries = Object.entries(keys);
  const head = [Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(entries.length)];
  for (const [name, value] of entries) head.push(text(name), typedBytes(value));
  let offset = 0;
  for (const { name, shape, data } of tensors) {
    head.push(text(name), u32(shape.length), ...shape.map(u64), u32(TENSOR_F32), u64(offset));
    offset += aligned(data.byteLength);
  }
  const header = Buffer.concat(head);
  return Buffer.concat([padded(header), ...tensors.map(({ data }) => padded(floats(data)))]);
}

function typedBytes(value: GgufValue): Buffer {
  switch (value.type) {
    case 'bool':
      return Buffer.concat([u32(TYPES.bool), Buffer.of(value.value ? 1 : 0)]);
    case 'f32':
      return Buffer.concat([u32(TYPES.f32), floats(Float32Array.of(value.value))]);
    case 'string':
      return Buffer.concat([u32(TYPES.string), text(value.value)]);
    case 'u32':
      return Buffer.concat([u32(TYPES.u32), u32(value.value)]);
    case 'i32[]':
      return list(TYPES.i32, value.value.map(u32));
    case 'string[]':
      return list(TYPES.string, value.value.map(text));
  }
}

function list(type: number, items: readonly Buffer[]): Buffer {
  return Buffer.concat([u32(TYPES.array), u32(type), u64(items.length), ...items]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'utf8');
  return Buffer.concat([u64(bytes.length), bytes]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function floats(values: Float32Array): Buffer {
  const bytes = Buffer.alloc(values.byteLength);
  for (const [position, value] of values.entries()) bytes.writeFloatLE(value, position * 4);
  return bytes;
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(aligned(bytes.length) - bytes.length)]);
}

function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}
