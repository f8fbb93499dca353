import { readSync } from 'node:fs';

/*
 * The GGUF specification (github.com/ggml-org/ggml, docs/gguf.md, "File structure"), versions 2 and 3: counts, keys
 * with values, and the names and places of tensors.
 */

/** `GGUF`, little-endian. */
const MAGIC = 0x46_55_47_47;
const VERSIONS: readonly number[] = [2, 3];

const STRING = 8;
const ARRAY = 9;
/** By value type. */
const FIXED_BYTES: ReadonlyMap<number, number> = new Map([
  ...[0, 1, 7].map((type) => [type, 1] as const),
  ...[2, 3].map((type) => [type, 2] as const),
  ...[4, 5, 6].map((type) => [type, 4] as const),
  ...[10, 11, 12].map((type) => [type, 8] as const),
]);

const MAX_DIMENSIONS = 4;
/** Arrays in arrays; models have none. */
const MAX_DEPTH = 4;

/** Whether bytes start like a GGUF file; undefined if there are too few. */
export function beginsLikeGguf(bytes: Buffer): boolean | undefined {
  return bytes.length < 4 ? undefined : bytes.readUInt32LE() === MAGIC;
}

/**
 * Why a file cannot be loaded; undefined if its keys and the places of its tensors are within it.
 * The library allocates lengths before it checks them.
 */
export function headerFault(file: number, size: number): string | undefined {
  const cursor = new Cursor(file, size);
  try {
    if (size < 4 || cursor.number(4) !== MAGIC) return 'it is not a GGUF file';
    const version = cursor.number(4);
    const tensors = cursor.number(8);
    const keys = cursor.number(8);
    if (!VERSIONS.includes(version)) return `its GGUF version is ${version}`;
    if (tensors === 0 || keys === 0) throw new Damaged();
    for (let key = 0; key < keys; key++) {
      skipString(cursor);
      skipValue(cursor, cursor.number(4), 0);
    }
    let last = 0;
    for (let tensor = 0; tensor < tensors; tensor++) {
      skipString(cursor);
      const dimensions = cursor.number(4);
      if (dimensions > MAX_DIMENSIONS) throw new Damaged();
      // Their sizes, and the type of the values.
      cursor.skip(8 * dimensions + 4);
      last = Math.max(last, cursor.number(8));
    }
    // The tensors follow.
    cursor.skip(last + 1);
    return undefined;
  } catch (error) {
    if (error instanceof Damaged) return 'it is damaged or incomplete';
    throw error;
  }
}

function skipString(cursor: Cursor): void {
  cursor.skip(cursor.number(8));
}

function skipValue(cursor: Cursor, type: number, depth: number): void {
  if (type === STRING) skipString(cursor);
  else if (type !== ARRAY) cursor.skip(bytesOf(type));
  else if (depth < MAX_DEPTH) skipArray(cursor, depth);
  else throw new Damaged();
}

function skipArray(cursor: Cursor, depth: number): void {
  const type = cursor.number(4);
  const count = cursor.number(8);
  if (type !== STRING && type !== ARRAY) cursor.skip(count * bytesOf(type));
  else for (let at = 0; at < count; at++) skipValue(cursor, type, depth + 1);
}

function bytesOf(type: number): number {
  const bytes = FIXED_BYTES.get(type);
  if (bytes === undefined) throw new Damaged();
  return bytes;
}

class Damaged extends Error {}

const WINDOW_BYTES = 64 * 1024;

/** Reads on in a file. */
class Cursor {
  private readonly file: number;
  private readonly size: number;
  private readonly window = Buffer.alloc(WINDOW_BYTES);
  private windowAt = 0;
  private windowEnd = 0;
  private at = 0;

  constructor(file: number, size: number) {
    this.file = file;
    this.size = size;
  }

  /** @throws Damaged beyond the end */
  skip(bytes: number): void {
    this.at += bytes;
    if (this.at > this.size) throw new Damaged();
  }

  /** @throws Damaged beyond the end */
  number(bytes: 4 | 8): number {
    const from = this.at;
    this.skip(bytes);
    if (from < this.windowAt || this.at > this.windowEnd) {
      this.windowAt = from;
      this.windowEnd = from + readSync(this.file, this.window, 0, WINDOW_BYTES, from);
      if (this.at > this.windowEnd) throw new Damaged();
    }
    const low = this.window.readUInt32LE(from - this.windowAt);
    return bytes === 4 ? low : low + this.window.readUInt32LE(from - this.windowAt + 4) * 2 ** 32;
  }
}
