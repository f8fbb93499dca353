import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SvcError, systemErrorCode, systemReason } from '../errors/index.js';
import { withProcessLock } from '../sqlite/process-lock.js';
import type { EngineContext } from '../support/context.js';
import { ifThere, makeFolders, PRIVATE_MODE, realPath } from '../support/files.js';
import { replaceFile } from '../support/replace-file.js';
import { readConfigText } from './discovery.js';
import { keepTrust } from './trust/config-trust.js';

/** The configuration where there is no file yet. */
export const EMPTY_CONFIG = '{}\n';

/**
 * Runs work that reads a configuration file and writes it. Waits for other processes that do: without the lock, one
 * would overwrite the change of another.
 *
 * @throws SvcError STATE_UNWRITABLE; the signal's reason; what the work throws
 */
export async function withConfigLock<T>(
  { state: { stateDir } }: Pick<EngineContext, 'state'>,
  signal: AbortSignal,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    // One lock for all files, in the state folder: next to a project's svc.json it would end up in version control.
    return await withProcessLock(join(stateDir, 'config.lock'), { signal }, async () => work());
  } catch (cause) {
    if (signal.aborted || cause instanceof SvcError || systemErrorCode(cause) === undefined) {
      throw cause;
    }
    throw new SvcError('STATE_UNWRITABLE', `cannot write to ${stateDir}: ${systemReason(cause)}`, {
      hint: `check the permissions of ${stateDir} and its free disk space`,
      cause,
    });
  }
}

/**
 * The current text of a configuration; undefined when it does not exist.
 *
 * @param leniently whether a text in another encoding counts as empty
 * @throws SvcError CONFIG_UNREADABLE, CONFIG_SYNTAX
 */
export function configTextNow(file: string, leniently = false): string | undefined {
  try {
    return readConfigText(file);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    if (error.code === 'CONFIG_NOT_FOUND') return undefined;
    if (leniently && error.code === 'CONFIG_SYNTAX') return '';
    throw error;
  }
}

/**
 * Refuses to replace what somebody else wrote since the file was read: an editor knows no lock.
 *
 * @param before as {@link configTextNow} returned it
 * @throws SvcError CONFIG_WRITE_FAILED
 */
export function requireUnchanged(file: string, before: string | undefined): void {
  if (configTextNow(file, true) === before) return;
  throw new SvcError('CONFIG_WRITE_FAILED', `${file} changed in the meantime`, {
    hint: 'run the command again; nothing was written',
  });
}

/**
 * Replaces a configuration that was read under {@link withConfigLock}. A trusted one stays trusted.
 *
 * @param change.before as {@link configTextNow} returned it @param change.base what was edited, if not that
 * @throws SvcError CONFIG_WRITE_FAILED, after which the old file is unchanged; STATE_UNWRITABLE
 */
export function replaceConfig(
  context: EngineContext,
  file: string,
  change: { readonly before: string | undefined; readonly base?: string; readonly after: string },
): void {
  const { before, base = before ?? EMPTY_CONFIG, after } = change;
  requireUnchanged(file, before);
  if (after !== before) writeFileAtomically(file, after);
  keepTrust(context, file, { before: base, after });
}

/**
 * Replaces a file atomically. Follows a symbolic link and keeps the file's mode. Creates missing folders.
 *
 * @throws SvcError CONFIG_WRITE_FAILED; the old file is unchanged
 */
export function writeFileAtomically(file: string, text: string): void {
  try {
    const target = ifThere(() => realPath(file)) ?? file;
    makeFolders(dirname(target));
    // Configuration may hold plain-text secrets, so a new file is for its owner alone.
    const mode = statSync(target, { throwIfNoEntry: false })?.mode ?? PRIVATE_MODE;
    replaceFile(target, text, mode & 0o7777);
  } catch (cause) {
    throw new SvcError('CONFIG_WRITE_FAILED', `cannot write ${file}: ${systemReason(cause)}`, {
      hint: "check the folder's permissions and free space",
      cause,
    });
  }
}
