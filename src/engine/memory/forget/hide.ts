import { hash } from 'node:crypto';
import { lstatSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SvcError, systemReason } from '../../errors/index.js';
import { abortableSleep, NEVER } from '../../support/async.js';
import type { Clock } from '../../support/context.js';
import { isReadOnly, makeFolders, PRIVATE_MODE } from '../../support/files.js';
import { removeStrayTemporaries, replaceFile } from '../../support/replace-file.js';
import { shellWord } from '../../support/text.js';
import { iso } from '../../support/time.js';
import {
  type ChangedFile,
  emptyForgetList,
  type ForgetEntry,
  hashesOf,
  lineHash,
} from '../forgotten/index.js';
import type { KeptIndex } from '../keeper/sync-index.js';
import { documentName } from '../search/index.js';
import { PROMOTION_MARK } from '../sources/index.js';
import { withIndexLock } from '../sync/index-lock.js';
import type { LineRange } from '../types.js';
import type { ForgetPlan } from './plan-forget.js';
import { tracesIn } from './same-lines.js';

export interface HideContext {
  readonly target: KeptIndex;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Adds a plan's passages to the list, and removes them from their files if requested. The next sync is made
 * to read every file again. If killed at any point, either the passages are on the list and will be removed,
 * or nothing has happened.
 *
 * @throws SvcError FORGET_OUTDATED, FORGET_FAILED, FORGET_LIST_INVALID, INDEX_LOCKED
 */
export async function hide(
  plan: ForgetPlan,
  { fromFile }: { readonly fromFile: boolean },
  { target, clock, signal }: HideContext,
): Promise<ForgetEntry> {
  return withIndexLock(target.indexFile, { nowMs: clock.now(), signal }, async () => {
    for (let tries = 1; ; tries++) {
      const outcome = await addEntry(plan, { fromFile }, { target, clock });
      if (!(outcome instanceof SvcError)) return outcome;
      if (tries >= MOST_TRIES) throw outcome;
      // Hosts that begin at the same moment would meet again and again.
      await abortableSleep(Math.random() * tries * PAUSE_MS, signal ?? NEVER);
    }
  });
}

/** How often an entry is added to a list that other hosts change. */
const MOST_TRIES = 10;
const PAUSE_MS = 100;

/**
 * @returns FORGET_OUTDATED if another host has forgotten something since the list was read
 * @throws SvcError FORGET_OUTDATED, FORGET_FAILED, FORGET_LIST_INVALID
 */
async function addEntry(
  plan: ForgetPlan,
  { fromFile }: { readonly fromFile: boolean },
  { target, clock }: HideContext,
): Promise<ForgetEntry | SvcError> {
  const { home, forget } = target;
  const list = (await home.readForgetList()) ?? emptyForgetList();
  const id = `f${list.next}`;
  const folder = join(forget.backupDir, id);
  const changes = fromFile ? planFileChanges(plan, folder) : [];
  const entry: ForgetEntry = {
    id,
    at: iso(clock.now()),
    passages: plan.passages.map(({ origin, path, startLine, endLine }) => {
      return { path: documentName({ origin, path }), startLine, endLine };
    }),
    documents: plan.passages.flatMap(({ whole, fileHash }) =>
      whole && fileHash !== undefined ? [lineHash(list.salt, fileHash)] : [],
    ),
    lines: plan.passages.flatMap(({ parts }) => parts.map((text) => hashesOf(list.salt, text))),
    files: changes.map(({ path, absolutePath, backup, leftHash, mode }) => {
      const file = { path, absolutePath, backup, leftHash };
      return leftHash === null ? { ...file, mode } : file;
    }),
  };
  if (changes.length > 0) {
    attempt('cannot write the backup', () => {
      for (const { backup, before } of changes) {
        makeFolders(dirname(backup));
        replaceFile(backup, before, PRIVATE_MODE);
      }
    });
  }
  const entries = [...list.entries, entry];
  const own = plan.passages.filter(({ origin }) => origin === undefined);
  try {
    await home.writeForgetList(
      { ...list, next: list.next + 1, entries },
      {
        traces: tracesIn(plan.passages.flatMap((passage) => passage.parts)),
        places: [...own, ...plan.alsoIn],
      },
    );
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'FORGET_OUTDATED') throw error;
    // Nothing would ever name these backups.
    rmSync(folder, { recursive: true, force: true });
    return error;
  }
  changeFiles(changes);
  return entry;
}

/** A file with lines to remove, and its new content. */
interface FileChange extends ChangedFile {
  /** Undefined: the file is to be deleted. */
  readonly content: Buffer | undefined;
  readonly before: Buffer;
  readonly mode: number;
}

/**
 * Computes files without the forgotten lines; changes nothing yet.
 *
 * @throws SvcError FORGET_OUTDATED when a file is not what was shown, FORGET_FAILED
 */
function planFileChanges(
  { passages, alsoIn }: ForgetPlan,
  backupDir: string,
): readonly FileChange[] {
  const foreign = passages.find(({ origin }) => origin !== undefined);
  if (foreign?.origin !== undefined) {
    throw new SvcError('FORGET_FAILED', `${foreign.path} is a file of ${foreign.origin}`, {
      hint: 'run the command there, or omit --from-file; svc forgets it anyway',
    });
  }
  // Transcripts belong to their agents; without their copies, their turns are left out of memory only.
  const places = [...passages, ...alsoIn.filter(({ fileHash }) => fileHash !== undefined)];
  const files = [...new Map(places.map((place) => [place.path, place])).values()];
  return files.map(({ path, absolutePath, fileHash }, at) => {
    const own = places.filter((place) => place.path === path);
    const passage = passages.find((one) => one.path === path);
    if (fileHash === undefined) {
      throw new SvcError('FORGET_FAILED', `${path} is a transcript, which belongs to its agent`, {
        hint: 'omit --from-file; svc forgets it anyway',
      });
    }
    const whole = passages.some((one) => one.path === path && one.whole);
    if (passage?.kind === 'extracted' && !whole) {
      throw new SvcError('FORGET_FAILED', `svc cannot remove lines from ${path}`, {
        hint: 'omit --from-file, or pass the file to delete it; svc forgets the lines anyway',
      });
    }
    const { bytes, mode } = readOriginal(absolutePath, path, fileHash);
    const content = whole ? undefined : withoutLines(bytes, own, path);
    // In a folder of its own, since no name may get longer.
    const backup = join(backupDir, String(at + 1), basename(path));
    const leftHash = content === undefined ? null : hash('sha256', content);
    return { path, absolutePath, backup, leftHash, content, before: bytes, mode };
  });
}

/**
 * Replaces each file atomically, unless another program has changed it since it was read.
 *
 * @throws SvcError FORGET_FAILED when any could not be changed; the others are
 */
function changeFiles(changes: readonly FileChange[]): void {
  const failures = changes.flatMap((change) => {
    const why = changeFile(change);
    return why === undefined ? [] : [`${change.path}: ${why}`];
  });
  if (failures.length === 0) return;
  throw new SvcError('FORGET_FAILED', `cannot change ${failures.join(', ')}`, {
    hint: 'svc forgets the lines anyway; to remove them from the file, forget them by citation with --from-file',
  });
}

/** @returns why a file is left alone; undefined if it was changed */
function changeFile({ absolutePath, before, content, mode }: FileChange): string | undefined {
  try {
    // It may contain text to be forgotten.
    removeStrayTemporaries(dirname(absolutePath), Date.now());
    if (!lstatSync(absolutePath).isFile() || !readFileSync(absolutePath).equals(before)) {
      return 'it changed meanwhile';
    }
    if (content === undefined) rmSync(absolutePath);
    else replaceFile(absolutePath, content, mode);
    return undefined;
  } catch (error) {
    return systemReason(error);
  }
}

function readOriginal(absolutePath: string, path: string, fileHash: string) {
  const { bytes, stats } = attempt(`cannot read ${path}`, () => {
    return { bytes: readFileSync(absolutePath), stats: lstatSync(absolutePath) };
  });
  if (!stats.isFile() || hash('sha256', bytes) !== fileHash) {
    throw new SvcError('FORGET_OUTDATED', `${path} has changed since the preview`, {
      hint: 'run the command again',
    });
  }
  if (isReadOnly(stats)) {
    throw new SvcError('FORGET_FAILED', `${path} is read-only`, {
      hint: `run "chmod u+w ${shellWord(absolutePath)}", or omit --from-file; svc forgets it anyway`,
    });
  }
  return { bytes, mode: stats.mode & 0o777 };
}

/** Line ends are the same byte in every supported encoding but UTF-16. */
function withoutLines(bytes: Buffer, own: readonly LineRange[], path: string): Buffer {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw new SvcError('FORGET_FAILED', `${path} is UTF-16, and svc cannot write that`, {
      hint: 'save it as UTF-8, or remove the lines yourself',
    });
  }
  const isOwn = (at: number): boolean =>
    own.some(({ startLine, endLine }) => at + 1 >= startLine && at < endLine);
  const kept = bytes
    .toString('latin1')
    .split(/(?<=\n)/u)
    // The comment above a promoted entry would be taken for that of the next line.
    .filter((line, at) => !isOwn(line.startsWith(PROMOTION_MARK) ? at + 1 : at));
  return Buffer.from(kept.join(''), 'latin1');
}

/** @throws SvcError FORGET_FAILED */
export function attempt<T>(what: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new SvcError('FORGET_FAILED', `${what}: ${systemReason(error)}`, {
      hint: 'check its permissions and the free disk space',
      cause: error,
    });
  }
}
