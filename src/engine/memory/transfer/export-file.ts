import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf, SvcError } from '../../errors/index.js';
import { PRIVATE_MODE, TEMPORARY_ENDING } from '../../replace-file.js';

/** Lines are gathered to this many bytes before they are written. */
const GATHERED_BYTES = 1024 * 1024;

/**
 * Writes a file for its owner alone from what is produced piece by piece. It is there as a whole, or
 * not at all.
 *
 * @param replaces whether a file that is there may be replaced
 * @throws SvcError EXPORT_WRITE_FAILED
 */
export async function writeExportFile<T>(
  file: string,
  replaces: boolean,
  produce: (write: (text: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  refuseReplacing(file, replaces);
  const temporary = join(dirname(file), `.${randomBytes(6).toString('hex')}${TEMPORARY_ENDING}`);
  const failing = <R>(work: Promise<R>): Promise<R> => work.catch((error) => fail(file, error));
  const handle = await failing(open(temporary, 'wx', PRIVATE_MODE));
  try {
    let gathered: string[] = [];
    let length = 0;
    const flush = async (): Promise<void> => {
      const text = gathered.join('');
      gathered = [];
      length = 0;
      await failing(handle.appendFile(text));
    };
    const result = await produce(async (text) => {
      gathered.push(text);
      length += text.length;
      if (length >= GATHERED_BYTES) await flush();
    });
    await flush();
    await failing(handle.sync());
    await failing(handle.close());
    refuseReplacing(file, replaces);
    await failing(rename(temporary, file));
    return result;
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

function refuseReplacing(file: string, replaces: boolean): void {
  if (replaces || !existsSync(file)) return;
  throw new SvcError('EXPORT_WRITE_FAILED', `${file} is there already`, {
    hint: 'choose another name, or add --force',
  });
}

function fail(file: string, error: unknown): never {
  throw new SvcError('EXPORT_WRITE_FAILED', `${file} could not be written: ${messageOf(error)}`, {
    hint: 'check its folder and the room on the disk',
    cause: error,
  });
}
