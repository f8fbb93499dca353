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
  const cursor = cursorIn(file, size);
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

type Cursor = ReturnType<typeof cursorIn>;

/** Reads on in a file. Its functions throw Damaged beyond the end. */
function cursorIn(file: number, size: number) {
  const window = Buffer.alloc(WINDOW_BYTES);
  let windowAt = 0;
  let windowEnd = 0;
  let at = 0;
  const skip = (bytes: number): void => {
    at += bytes;
    if (at > size) throw new Damaged();
  };
  const number = (bytes: 4 | 8): number => {
    const from = at;
    skip(bytes);
    if (from < windowAt || at > windowEnd) {
      windowAt = from;
      windowEnd = from + readSync(file, window, 0, WINDOW_BYTES, from);
      if (at > windowEnd) throw new Damaged();
    }
    const low = window.readUInt32LE(from - windowAt);
    return bytes === 4 ? low : low + window.readUInt32LE(from - windowAt + 4) * 2 ** 32;
  };
  return { skip, number };
}
