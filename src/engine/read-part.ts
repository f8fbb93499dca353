import { closeSync, openSync, readSync } from 'node:fs';

/** A part of a file: as many bytes from a place on as there are, and no more than asked for. */
export function readPart(file: string, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const descriptor = openSync(file, 'r');
  try {
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, from));
  } finally {
    closeSync(descriptor);
  }
}
