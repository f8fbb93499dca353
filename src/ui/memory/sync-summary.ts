import type { SyncSummary } from '../../engine/memory/sync/events.js';
import type { SkippedFile } from '../../engine/memory/types.js';
import { formatBytes, formatCount, formatCountOf, formatDuration } from '../format.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';
import { rebuildWords, skippedNames, skipWords } from './words.js';

/** How the outcome of a sync is told. */
export interface SyncSummaryOptions {
  readonly style: Style;
  readonly agentId: string;
  /** Names every skipped file, one a line. */
  readonly verbose: boolean;
  /** The engine's isFaultySkip: skips that a person should hear of unasked. */
  readonly isFaulty: (skip: SkippedFile) => boolean;
}

const SKIPS_NAMED = 3;

/**
 * What a sync did, in at most three lines (more only with `verbose`): what changed, how long it
 * took, what was skipped and why.
 */
export function renderSyncSummary(summary: SyncSummary, options: SyncSummaryOptions): string {
  const { style } = options;
  const stopped = summary.outcome === 'stopped';
  const mark = stopped ? style.yellow('!') : style.green('✓');
  const lines = [`${mark} ${style.bold(safeLine(options.agentId))}  ${whatChanged(summary)}`];
  if (summary.outcome === 'updated' || summary.chunks > 0) lines.push(`  ${howLong(summary)}`);
  return `${[...lines, ...skipLines(summary, options)].join('\n')}\n`;
}

function whatChanged(summary: SyncSummary): string {
  if (summary.outcome === 'unchanged') {
    const files = formatCountOf(summary.unchanged, 'file');
    return `up to date · ${files} · ${formatDuration(summary.durationMs)}`;
  }
  const counts = (['added', 'changed', 'removed', 'renamed', 'unchanged'] as const)
    .filter((kind) => summary[kind] > 0)
    .map((kind) => `${formatCount(summary[kind])} ${kind}`);
  const changes = counts.length === 0 ? 'nothing to index' : counts.join(' · ');
  if (summary.outcome === 'stopped') {
    return counts.length === 0
      ? 'stopped · the index is as it was before'
      : `stopped · ${changes} · what is done is kept`;
  }
  if (summary.rebuild === undefined) return changes;
  return summary.rebuild.reason === 'first'
    ? `${changes} · new index`
    : `${changes} · built anew: ${rebuildWords(summary.rebuild)}`;
}

function howLong(summary: SyncSummary): string {
  const work = `${formatCountOf(summary.chunks, 'chunk')} from ${formatBytes(summary.bytes)}`;
  return `${work} in ${formatDuration(summary.durationMs)}`;
}

function skipLines(summary: SyncSummary, options: SyncSummaryOptions): readonly string[] {
  const { style, verbose } = options;
  if (verbose) {
    return summary.skipped.map(
      (skip) => `  ${style.yellow('skipped')} ${safeLine(skip.path)}: ${skipWords(skip)}`,
    );
  }
  const faulty = summary.skipped.filter(options.isFaulty);
  if (faulty.length === 0) return [];
  const words = `skipped ${formatCount(faulty.length)}: ${skippedNames(faulty, SKIPS_NAMED)}`;
  return [`  ${style.yellow(words)}`];
}
