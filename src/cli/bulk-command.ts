import type { InferredFlags } from '@oclif/core/interfaces';
import { SvcError } from '../engine/errors/index.js';
import {
  type BulkOutput,
  bulkOutput,
  type ChangeOutcome,
  changeMany,
  MOST_CHANGED,
} from '../engine/flows/index.js';
import { formatCountOf } from '../engine/support/format.js';
import { type BulkWords, renderBulkChange } from '../ui/flows/list.js';
import { olderThanFlag, readAge, readSince, sinceFlag } from './flag-times.js';
import { ID, idArg, switchFlag, yesFlag } from './flags.js';
import { FlowsCommand } from './flows-command.js';

/** The flow that an operator names, where flags can select several instead. */
export const optionalFlowArgs = { flow: idArg({ description: ID }) };
/** The task, likewise. */
export const optionalTaskArgs = { task: idArg({ description: ID }) };

/** Flags of commands that change one flow or task, or all that match. */
export const bulkFlags = {
  ...yesFlag,
  since: sinceFlag,
  'older-than': olderThanFlag('Select what was created this long ago or earlier.'),
  'dry-run': switchFlag('Show what would change without changing anything.'),
};

type BulkFlags = InferredFlags<typeof bulkFlags>;

/** The records that match, and how to change each. */
interface Bulk<R> {
  readonly words: BulkWords<R>;
  readonly found: { readonly entries: readonly R[]; readonly total: number };
  readonly change: (record: R) => Promise<R>;
}

/** Base of commands that change one flow or task, or all that match. */
export abstract class BulkCommand extends FlowsCommand {
  /**
   * What the flags select; undefined if one is named instead, whatever variables select.
   *
   * @param specialFilters filters that only this command has
   * @throws SvcError USAGE with both, or with neither
   */
  protected async selection<Filters extends object>(
    id: string | undefined,
    flags: BulkFlags,
    specialFilters: Filters,
  ) {
    const times = this.times();
    const ageMs = readAge(flags['older-than']);
    const filter = {
      ...specialFilters,
      sinceMs: await readSince(flags.since, times),
      beforeMs: ageMs === undefined ? undefined : times.nowMs - ageMs,
    };
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    if (id === undefined && !isFiltered) {
      throw new SvcError('USAGE', 'missing argument: an ID, or flags that select several', {
        hint: 'run it with --help to list them',
      });
    }
    if (id === undefined) return { ...filter, limit: MOST_CHANGED };
    // A variable may be meant for other commands, so only typed flags are refused.
    if (Object.keys(this.ctor.flags).some((name) => name !== 'yes' && this.isTyped(name))) {
      throw new SvcError('USAGE', 'an ID cannot be combined with flags that select several', {
        hint: 'leave out the ID or the flags',
      });
    }
    // Ignoring this variable would change something, against its promise.
    if (flags['dry-run'] === true) {
      throw new SvcError('USAGE', 'SVC_DRY_RUN is set, and an ID has no dry run', {
        hint: 'unset SVC_DRY_RUN',
      });
    }
    return undefined;
  }

  /** Asks, changes all that were found, and reports on each. Fails if one of them could not be changed. */
  protected async changeAll<R>(flags: BulkFlags, bulk: Bulk<R>): Promise<BulkOutput> {
    const { words, found, change } = bulk;
    const dryRun = flags['dry-run'] ?? false;
    const { entries, total } = found;
    const count = formatCountOf(entries.length, words.noun);
    const isAgreed =
      entries.length === 0 ||
      (!dryRun && (await this.agrees(`${words.question} ${count}?`, flags)));
    const untouched = (record: R): ChangeOutcome<R> => ({ record, error: undefined });
    const changed = isAgreed
      ? await changeMany(entries, change, this.signal)
      : entries.map(untouched);
    if (changed.some(({ error }) => error !== undefined)) this.setExitCode(1);
    if (changed.length < entries.length) this.setExitCode(130);
    const state = isAgreed ? 'done' : dryRun ? 'dry run' : 'declined';
    this.write(renderBulkChange({ changed, total, state, words }, this.view()));
    return bulkOutput({ changed, total, dryRun, isDone: isAgreed, of: words.describe });
  }
}
