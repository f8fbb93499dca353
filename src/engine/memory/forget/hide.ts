import { join } from 'node:path';
import type { Clock } from '../../context.js';
import { SvcError } from '../../errors/index.js';
import { openIndex } from '../index/open-index.js';
import { withIndexLock } from '../sync/index-lock.js';
import type { SyncTarget } from '../sync/sync-index.js';
import { changeFiles, planFileChanges, restoreFile, writeBackups } from './change-files.js';
import {
  emptyForgetList,
  type ForgetEntry,
  type ForgetList,
  readForgetList,
  writeForgetList,
} from './forget-list.js';
import type { ForgetPlan, Undone } from './forget-plan.js';
import { hashesOf } from './forgotten.js';
import { lineHash } from './line-hashes.js';

/** What changing the list needs. */
export interface HideContext {
  readonly target: SyncTarget;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

const LOCK_WAIT_MS = 10 * 60 * 1000;

/**
 * Puts a plan's passages on the list, and takes them out of their files when asked to. The index
 * follows with its next sync, which finds everything asked to be read again: killed at any point, the
 * passages are on the list and will go, or are not and nothing happened.
 *
 * @throws SvcError FORGET_OUTDATED, FORGET_FAILED, FORGET_LIST_INVALID, INDEX_LOCKED
 */
export async function hide(
  plan: ForgetPlan,
  { fromFile }: { readonly fromFile: boolean },
  context: HideContext,
): Promise<ForgetEntry> {
  const { listFile, backupDir } = context.target.forget;
  return changeList(context, async () => {
    const list = (await readForgetList(listFile)) ?? emptyForgetList();
    const id = `f${list.next}`;
    const folder = join(backupDir, id);
    const changes = fromFile ? planFileChanges(plan.passages, folder) : [];
    const entry: ForgetEntry = {
      id,
      at: new Date(context.clock.now()).toISOString(),
      passages: plan.passages.map(({ path, startLine, endLine }) => ({ path, startLine, endLine })),
      documents: plan.passages.flatMap(({ whole, fileHash }) =>
        whole && fileHash !== undefined ? [lineHash(list.salt, fileHash)] : [],
      ),
      lines: plan.passages.flatMap(({ parts }) => parts.map((text) => hashesOf(list.salt, text))),
      files: changes.map(({ path, absolutePath, backup, leftHash }) => {
        return { path, absolutePath, backup, leftHash };
      }),
    };
    if (changes.length > 0) writeBackups(changes, folder);
    write(listFile, { ...list, next: list.next + 1, entries: [...list.entries, entry] });
    changeFiles(changes);
    return entry;
  });
}

/**
 * Takes an entry off the list again, and brings back the files that were changed for it.
 *
 * @throws SvcError FORGET_ID_UNKNOWN, FORGET_FAILED, FORGET_LIST_INVALID, INDEX_LOCKED
 */
export async function undo(id: string, context: HideContext): Promise<Undone> {
  const { listFile } = context.target.forget;
  return changeList(context, async () => {
    const list = await readForgetList(listFile);
    const entry = list?.entries.find((one) => one.id === id);
    if (list === undefined || entry === undefined) {
      throw new SvcError('FORGET_ID_UNKNOWN', `nothing was forgotten as ${JSON.stringify(id)}`, {
        hint: 'svc memory forget --list shows what was',
      });
    }
    const outcomes = entry.files.map((file) => ({ file, restored: restoreFile(file) }));
    write(listFile, { ...list, entries: list.entries.filter((one) => one !== entry) });
    return {
      entry,
      restored: outcomes.flatMap(({ file, restored }) => (restored ? [file.path] : [])),
      kept: outcomes.flatMap(({ file: { path, backup }, restored }) =>
        restored ? [] : [{ path, backup }],
      ),
    };
  });
}

/** Nobody syncs meanwhile, and the next who does reads every file again. */
async function changeList<T>({ target, clock, signal }: HideContext, change: () => T): Promise<T> {
  const lock = { pid: process.pid, nowMs: clock.now(), waitMs: LOCK_WAIT_MS, signal };
  return withIndexLock(target.indexFile, lock, async () => {
    const opened = openIndex(target.indexFile, 'write', target.vectors);
    if (opened.state === 'ready') {
      try {
        (await opened.index.scrubber()).request();
      } finally {
        opened.index.close();
      }
    }
    return await change();
  });
}

function write(listFile: string, list: ForgetList): void {
  try {
    writeForgetList(listFile, list);
  } catch (error) {
    throw new SvcError('FORGET_FAILED', `the list ${listFile} could not be written`, {
      hint: 'check the permissions of its folder and the room on the disk',
      cause: error,
    });
  }
}
