import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../config/index.js';
import { messageOf, SvcError, systemReason, type Warning } from '../../errors/index.js';
import { sleepAtMost } from '../../support/async.js';
import type { EngineContext } from '../../support/context.js';
import { ifThere, READ, readRegularFile } from '../../support/files.js';
import { resolveConfiguredPath } from '../../support/paths.js';
import { logPaths } from '../../support/rotating-file.js';
import type { ServeSetup } from '../service.js';
import { readStateFile } from '../state-file.js';
import { isSelected, type LineSelection, parseLogLine } from './log-record.js';

function defaultLogFile(stateDir: string): string {
  return join(stateDir, 'logs', 'serve.log');
}

/** The absolute path of the log in a configuration. */
export function logFileOf({ loaded, context }: Pick<ServeSetup, 'context' | 'loaded'>): string {
  const { file } = loaded.resolved.logging;
  if (file === undefined) return defaultLogFile(context.state.stateDir);
  return resolveConfiguredPath(loaded, file, context);
}

/**
 * Finds the log of the last instance, or else of the configuration. An invalid configuration falls back to the
 * default location, because the log may explain it.
 *
 * @param configFile from `--config`; then the last instance does not count
 * @returns the absolute path, whose file may not exist, and a warning if the configuration is invalid
 */
export async function findLogFile(
  context: EngineContext,
  configFile: string | undefined,
): Promise<{ readonly file: string; readonly warning?: Warning }> {
  const { stateDir } = context.state;
  const running = configFile === undefined ? readStateFile(stateDir)?.logFile : undefined;
  if (running != null) return { file: running };
  try {
    return { file: logFileOf({ loaded: await loadConfig(context, { configFile }), context }) };
  } catch (error) {
    if (!(error instanceof SvcError) || configFile !== undefined) throw error;
    return {
      file: defaultLogFile(stateDir),
      warning: {
        code: 'CONFIG_WARNING',
        message: `the configuration cannot be used: ${messageOf(error)}`,
        hint: 'run "svc config validate" to see every problem',
      },
    };
  }
}

/**
 * The newest lines of a log, oldest first and rotated files included, and where following starts: at the end of the
 * last whole line. Undefined if there is no file.
 *
 * @param selection `lines`: how many of the newest
 * @throws SvcError SYSTEM_REFUSED if a file cannot be read
 */
export function readLogTail(
  file: string,
  { lines: wanted, ...selection }: LineSelection & { readonly lines: number },
) {
  const parts: string[][] = [];
  let count = 0;
  let endBytes: number | undefined;
  for (const path of logPaths(file)) {
    if (count >= wanted && path !== file) break;
    const content = contentOf(path);
    if (content === undefined) continue;
    const whole = content.subarray(0, content.lastIndexOf(LINE_FEED) + 1);
    if (path === file) endBytes = whole.length;
    const found = wholeLines(whole).filter((line) => isSelected(parseLogLine(line), selection));
    const kept = wanted - count > 0 ? found.slice(-(wanted - count)) : [];
    parts.unshift(kept);
    count += kept.length;
  }
  if (endBytes === undefined && parts.length === 0) return undefined;
  return { lines: parts.flat(), endBytes: endBytes ?? 0 };
}

/** Undefined if there is no file. @throws SvcError SYSTEM_REFUSED */
function contentOf(path: string): Buffer | undefined {
  try {
    return ifThere(() => readRegularFile(path));
  } catch (cause) {
    throw new SvcError('SYSTEM_REFUSED', `cannot read ${path}: ${systemReason(cause)}`, {
      hint: 'check its permissions; the lines of a pipe are for the program that reads it',
      cause,
    });
  }
}

const LINE_FEED = 0x0a;

function wholeLines(content: Buffer): readonly string[] {
  return content
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
}

/**
 * New lines of a log, without their line breaks, until the signal aborts. A rotated file is read to its end,
 * and its successor from the start.
 *
 * It polls, because the system may be out of file watchers just when the log matters.
 *
 * @param options `fromBytes`: what was already read
 */
export async function* followLog(
  file: string,
  { fromBytes, signal }: { readonly fromBytes: number; readonly signal: AbortSignal },
): AsyncGenerator<string> {
  let position = fromBytes;
  let partialLine = Buffer.alloc(0);
  const startOver = (): void => {
    position = 0;
    partialLine = Buffer.alloc(0);
  };
  const open = (): number | undefined => {
    const opened = ifThere(() => openSync(file, READ));
    if (opened === undefined) position = 0;
    return opened;
  };
  function* newLines(opened: number): Generator<string> {
    // It was truncated: everything in it is new.
    if (fstatSync(opened).size < position) startOver();
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (;;) {
      const count = readSync(opened, chunk, 0, CHUNK_BYTES, position);
      if (count === 0) return;
      position += count;
      const data = Buffer.concat([partialLine, chunk.subarray(0, count)]);
      const end = data.lastIndexOf(LINE_FEED) + 1;
      partialLine = data.subarray(end);
      yield* wholeLines(data.subarray(0, end));
    }
  }
  let descriptor = open();
  try {
    while (!signal.aborted) {
      descriptor ??= open();
      if (descriptor !== undefined) yield* newLines(descriptor);
      if (descriptor !== undefined && isReplaced(file, descriptor)) {
        // Lines may have been written between the last read and the rotation.
        yield* newLines(descriptor);
        closeSync(descriptor);
        descriptor = undefined;
        startOver();
      }
      await sleepAtMost(POLL_MS, signal);
    }
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

const POLL_MS = 200;
const CHUNK_BYTES = 64 * 1024;

function isReplaced(file: string, descriptor: number): boolean {
  const now = statSync(file, { throwIfNoEntry: false });
  const open = fstatSync(descriptor);
  return now !== undefined && (now.ino !== open.ino || now.dev !== open.dev);
}
