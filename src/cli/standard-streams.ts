import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SvcError } from '../engine/errors/index.js';
import { withinTime } from '../engine/support/async.js';
import { type EngineContext, typedPath } from '../engine/support/context.js';
import { crypto } from '../engine/support/crypto.js';
import {
  makeFolders,
  PRIVATE_MODE,
  readNamedFile,
  systemErrorLike,
} from '../engine/support/files.js';
import { TEMPORARY_ENDING } from '../engine/support/replace-file.js';
import { beginningOf } from './hook-input.js';

/** Long enough for most programs to write something. A program that starts svc with a pipe may never close it. */
const BEGIN_MS = 3000;

/**
 * The text on stdin. Of a longer one, somewhat more than the given number of bytes is read.
 *
 * @param isAsked whether the user asked for it; otherwise it must begin within three seconds
 * @returns undefined on a terminal, and if nothing comes
 * @throws SvcError USAGE for what is not UTF-8; the signal's reason
 */
export async function textOnStdin(
  mostBytes: number,
  isAsked: boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { stdin } = process;
  if (stdin.isTTY) return undefined;
  const begins = (): Promise<unknown> => once(addAbortSignal(signal, stdin), 'readable');
  if (!isAsked && !(await withinTime(BEGIN_MS, signal, begins)).done) {
    stdin.destroy();
    return undefined;
  }
  const bytes = await allOf(stdin, signal, mostBytes);
  // A longer one, which the caller refuses, can be cut off within a character.
  if (bytes.length <= mostBytes && !isUtf8(bytes)) {
    const hint = 'convert it to UTF-8 first, for example with iconv';
    throw new SvcError('USAGE', 'the text on stdin is not UTF-8', { hint });
  }
  return String(bytes);
}

/**
 * Reads what flags name: a file, or stdin where it is undefined. Stdin is read at once if one of them is `-`. Of what
 * has more than the given number of bytes, reading fails like a system call.
 *
 * @throws the signal's reason
 */
export async function readerOf(
  files: readonly (string | undefined)[],
  mostBytes: number,
  signal: AbortSignal,
  context: Pick<EngineContext, 'cwd' | 'homeDir'>,
): Promise<(file: string | undefined) => Buffer> {
  const stdin = files.includes('-') ? await allOf(process.stdin, signal, mostBytes) : Buffer.of();
  return (file) => {
    if (file !== undefined) return readNamedFile(typedPath(file, context), mostBytes);
    if (stdin.length > mostBytes) throw systemErrorLike('EFBIG');
    return stdin;
  };
}

/** All bytes of stdin; of more than a limit, somewhat more than that. @throws the signal's reason */
export async function allOf(
  stdin: Readable,
  signal: AbortSignal,
  mostBytes: number,
): Promise<Buffer> {
  try {
    return await beginningOf(addAbortSignal(signal, stdin), mostBytes);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

/**
 * Runs work on a private temporary file with all of stdin, which should be an export of a memory, then removes it. Of
 * anything else, the file has the beginning.
 *
 * @param folder where the file is created
 * @throws the signal's reason; what the work throws; errors do not name the temporary file
 */
export async function withStdinFile<T>(
  folder: string,
  signal: AbortSignal,
  work: (file: string) => Promise<T>,
): Promise<T> {
  makeFolders(folder);
  const file = join(folder, `.${crypto().randomBytes(6).toString('hex')}${TEMPORARY_ENDING}`);
  try {
    const copy = createWriteStream(file, { flags: 'wx', mode: PRIVATE_MODE });
    await pipeline(process.stdin, beginningUnlessExport, copy, { signal }).catch(
      (error: unknown) => {
        signal.throwIfAborted();
        // The error of writing names no file.
        throw error instanceof Error ? Object.assign(error, { path: folder }) : error;
      },
    );
    return await work(file);
  } catch (error) {
    if (!(error instanceof SvcError) || error.location?.file !== file) throw error;
    const { code, message, hint, details = {} } = error;
    throw new SvcError(code, message, { hint, details, cause: error });
  } finally {
    await rm(file, { force: true });
  }
}

/** The longest first line of an export, with room for the name of an agent. */
const HEADER_BYTES = 4096;

/** What is no export may never end, and would fill the disk before somebody checks it. */
async function* beginningUnlessExport(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let beginning = '';
  let isExport = false;
  for await (const piece of pieces) {
    yield piece;
    if (isExport) continue;
    beginning += piece.toString('latin1', 0, HEADER_BYTES);
    const [header = '', rest] = beginning.split('\n', 2);
    isExport = header.includes('"svc-memory"');
    if (!isExport && (rest !== undefined || header.length >= HEADER_BYTES)) return;
  }
}
