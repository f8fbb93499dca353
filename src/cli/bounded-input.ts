import type { Readable } from 'node:stream';

/**
 * Reads a stream as text from now on, up to a size. Never fails: whoever started this process may have
 * left without a word.
 */
export class BoundedInput {
  private readonly stream: Readable;
  private readonly parts: Buffer[] = [];
  private readonly ended: Promise<boolean>;

  /** @param maxBytes beyond it nothing more is read, and there is no text */
  constructor(stream: Readable, maxBytes: number) {
    this.stream = stream;
    let bytes = 0;
    this.ended = new Promise((resolve) => {
      stream.on('data', (part: Buffer | string) => {
        const read = typeof part === 'string' ? Buffer.from(part) : part;
        bytes += read.length;
        this.parts.push(read);
        if (bytes > maxBytes) resolve(false);
      });
      stream.once('end', () => resolve(true));
      stream.once('close', () => resolve(true));
      stream.once('error', () => resolve(false));
    });
  }

  /**
   * The whole text, once the stream has ended; undefined when it is too large, broke off, or did not
   * end in time.
   */
  async text(timeoutMs: number): Promise<string | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), Math.max(0, timeoutMs));
    });
    const isWhole = await Promise.race([this.ended, late]);
    clearTimeout(timer);
    this.stream.destroy();
    return isWhole ? Buffer.concat(this.parts).toString('utf8') : undefined;
  }
}
