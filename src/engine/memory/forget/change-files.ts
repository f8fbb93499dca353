import { hash } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { messageOf, SvcError } from '../../errors/index.js';
import { PRIVATE_MODE, replaceFile } from '../../replace-file.js';
import type { ChangedFile } from './forget-list.js';
import type { ForgetPassage } from './forget-plan.js';

/** A file whose lines are to go, as it is to be afterwards. */
export interface FileChange extends ChangedFile {
  /** Undefined: the file is to be deleted. */
  readonly content: Buffer | undefined;
  readonly before: Buffer;
  readonly mode: number;
}

/**
 * Works out what files are without the lines that are forgotten; changes nothing yet.
 *
 * @param backupDir where their backups will lie
 * @throws SvcError FORGET_OUTDATED when a file is not what was shown, FORGET_FAILED
 */
export function planFileChanges(
  passages: readonly ForgetPassage[],
  backupDir: string,
): readonly FileChange[] {
  const files = [...new Map(passages.map((passage) => [passage.path, passage])).values()];
  return files.map(({ path, absolutePath, source, fileHash }, at) => {
    const own = passages.filter((passage) => passage.path === path);
    if (source !== 'memory' || fileHash === undefined) {
      throw new SvcError('FORGET_FAILED', `${path} is a transcript, and belongs to its agent`, {
        hint: 'leave out --from-file; svc forgets it all the same',
      });
    }
    const { bytes, mode } = readOriginal(absolutePath, path, fileHash);
    const whole = own.some((passage) => passage.whole);
    const content = whole ? undefined : withoutLines(bytes, own, path);
    const backup = join(backupDir, `${at + 1}-${basename(path)}`);
    const leftHash = content === undefined ? null : hash('sha256', content);
    return { path, absolutePath, backup, leftHash, content, before: bytes, mode };
  });
}

/** Keeps a copy of each file, for its owner alone. @throws SvcError FORGET_FAILED */
export function writeBackups(changes: readonly FileChange[], backupDir: string): void {
  attempt('the backup could not be written', () => {
    mkdirSync(backupDir, { recursive: true, mode: 0o700 });
    for (const { backup, before } of changes) replaceFile(backup, before, PRIVATE_MODE);
  });
}

/** Puts each file in its new state, whole or not at all. @throws SvcError FORGET_FAILED */
export function changeFiles(changes: readonly FileChange[]): void {
  for (const { path, absolutePath, content, mode } of changes) {
    attempt(`${path} could not be changed`, () => {
      if (content === undefined) rmSync(absolutePath);
      else replaceFile(absolutePath, content, mode);
    });
  }
}

/**
 * Brings a file back from its backup, where it is as forgetting left it.
 *
 * @returns false when somebody changed it meanwhile, or the backup is gone: it stays as it is
 */
export function restoreFile({ absolutePath, backup, leftHash }: ChangedFile): boolean {
  const stats = lstatSync(absolutePath, { throwIfNoEntry: false });
  const now = stats?.isFile() === true ? hash('sha256', readFileSync(absolutePath)) : null;
  const copy = statSync(backup, { throwIfNoEntry: false });
  if (now !== leftHash || copy === undefined || (stats !== undefined && now === null)) return false;
  attempt(`${absolutePath} could not be restored`, () => {
    replaceFile(absolutePath, readFileSync(backup), (stats ?? copy).mode & 0o777);
    rmSync(backup, { force: true });
  });
  return true;
}

function readOriginal(
  absolutePath: string,
  path: string,
  fileHash: string,
): { readonly bytes: Buffer; readonly mode: number } {
  const { bytes, stats } = attempt(`${path} could not be read`, () => {
    return { bytes: readFileSync(absolutePath), stats: lstatSync(absolutePath) };
  });
  if (!stats.isFile() || hash('sha256', bytes) !== fileHash) {
    throw new SvcError('FORGET_OUTDATED', `${path} changed while you were looking`, {
      hint: 'run the command again',
    });
  }
  return { bytes, mode: stats.mode & 0o777 };
}

/** Line ends are the same byte in every encoding that svc reads, but for UTF-16. */
function withoutLines(bytes: Buffer, own: readonly ForgetPassage[], path: string): Buffer {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw new SvcError('FORGET_FAILED', `${path} is UTF-16, which svc reads and does not write`, {
      hint: 'save it as UTF-8, or take the lines out yourself',
    });
  }
  const kept = bytes
    .toString('latin1')
    .split(/(?<=\n)/u)
    .filter((_, at) => !own.some(({ startLine, endLine }) => at + 1 >= startLine && at < endLine));
  return Buffer.from(kept.join(''), 'latin1');
}

function attempt<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new SvcError('FORGET_FAILED', `${what}: ${messageOf(error)}`, {
      hint: 'check its permissions and the room on the disk',
      cause: error,
    });
  }
}
