import type { Readable } from 'node:stream';
import { ownWords } from './fast-start.js';
import { variableOf } from './flags.js';

/**
 * Whether a hook runs this command; works before the flags are parsed, and if they cannot be.
 *
 * @param flag the flag of the command for hooks
 */
export function wantsHook(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  flag: 'agent-hook' | 'hook',
): boolean {
  const typed = ownWords(argv).some(
    (word) => word === `--${flag}` || word.startsWith(`--${flag}=`),
  );
  return typed || Boolean(env[variableOf(flag)]);
}

/** Larger than any prompt of an agent. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Reads what an agent writes to its hook as text, up to a size. Never fails: the process that started this one may be gone.
 */
export class HookInput {
  private readonly stream: Readable;
  private readonly parts: Buffer[] = [];
  private readonly ended: Promise<boolean>;

  constructor(stream: Readable) {
    this.stream = stream;
    let bytes = 0;
    this.ended = new Promise((resolve) => {
      stream.on('data', (part: Buffer | string) => {
        const read = typeof part === 'string' ? Buffer.from(part) : part;
        bytes += read.length;
        this.parts.push(read);
        if (bytes > MAX_BYTES) resolve(false);
      });
      stream.once('end', () => resolve(true));
      stream.once('close', () => resolve(true));
      stream.once('error', () => resolve(false));
    });
  }

  /**
   * The whole text once the stream has ended; undefined if it is too large, was interrupted or did not end in time.
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
