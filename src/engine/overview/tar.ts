/** A file of an archive. */
export interface TarFile {
  /** Relative, with forward slashes; at most 100 bytes. */
  readonly name: string;
  readonly content: Buffer;
}

const BLOCK_BYTES = 512;

/**
 * A tar archive of a few small files, in the format of POSIX.1-1988 (ustar) that every tar reads.
 * Files belong to nobody and only their owner may read them.
 *
 * @param atMs when the files were changed, in milliseconds since the epoch
 */
export function tarOf(files: readonly TarFile[], atMs: number): Buffer {
  const blocks = files.flatMap(({ name, content }) => [
    header(name, content.length, atMs),
    content,
    Buffer.alloc((BLOCK_BYTES - (content.length % BLOCK_BYTES)) % BLOCK_BYTES),
  ]);
  // Two blocks of zeros end it.
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK_BYTES)]);
}

function header(name: string, bytes: number, atMs: number): Buffer {
  if (Buffer.byteLength(name) > 100) throw new RangeError(`too long for an archive: ${name}`);
  const block = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, offset: number, width: number): void => {
    block.write(`${value.toString(8).padStart(width - 1, '0')}\0`, offset, 'ascii');
  };
  block.write(name, 0, 'utf8');
  octal(0o600, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(bytes, 124, 12);
  octal(Math.max(0, Math.floor(atMs / 1000)), 136, 12);
  // The sum is made as if its own field held blanks.
  block.write(' '.repeat(8), 148, 'ascii');
  block.write('0', 156, 'ascii');
  block.write('ustar\u000000', 257, 'ascii');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'ascii');
  return block;
}
