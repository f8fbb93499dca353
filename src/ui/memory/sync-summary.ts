import type { EmbeddingSummary, SyncSummary } from '../../engine/memory/sync/events.js';
import type { SkippedFile } from '../../engine/memory/types.js';
import {
  formatBytes,
  formatCount,
  formatCountOf,
  formatDuration,
  formatShortCount,
} from '../format.js';
import { modelWords } from '../provider/words.js';
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
 * What a sync did, in at most four lines (more only with `verbose`): what changed, how long it took,
 * what was embedded, what was skipped and why.
 */
export function renderSyncSummary(summary: SyncSummary, options: SyncSummaryOptions): string {
  const { style } = options;
  const stopped = summary.outcome === 'stopped';
  const mark = stopped ? style.yellow('!') : style.green('✓');
  const lines = [`${mark} ${style.bold(safeLine(options.agentId))}  ${summaryWords(summary)}`];
  if (summary.outcome === 'updated' || summary.chunks > 0) lines.push(`  ${howLong(summary)}`);
  const { embedding } = summary;
  const embedded = embedding === undefined ? [] : embeddingLines(embedding, style);
  return `${[...lines, ...embedded, ...skipLines(summary, options)].join('\n')}\n`;
}

/** What a sync changed, as part of a line. */
export function summaryWords(summary: SyncSummary): string {
  if (summary.outcome === 'unchanged') {
    const files = formatCountOf(summary.unchanged, 'file');
    return `up to date · ${files} · ${formatDuration(summary.durationMs)}`;
  }
  const counts = (['added', 'changed', 'removed', 'renamed', 'unchanged'] as const)
    .filter((kind) => summary[kind] > 0)
    .map((kind) => `${formatCount(summary[kind])} ${kind}`);
  const none = (summary.embedding?.embedded ?? 0) > 0 ? 'no file changed' : 'nothing to index';
  const changes = counts.length === 0 ? none : counts.join(' · ');
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
  const time = `in ${formatDuration(summary.durationMs)}`;
  // What an external program reads it does not count.
  if (summary.chunks === 0 && summary.bytes === 0) return time;
  return `${formatCountOf(summary.chunks, 'chunk')} from ${formatBytes(summary.bytes)} ${time}`;
}

/** Nothing where there was nothing to do. */
function embeddingLines(embedding: EmbeddingSummary, style: Style): readonly string[] {
  const { embedded, known, tokens, pending, refused, failure, provider, model } = embedding;
  const who = safeLine(model === null ? provider : `${provider}, ${modelWords(model)}`);
  const parts = [
    embedded > 0 ? `${formatCountOf(embedded, 'passage')} embedded (${who})` : '',
    tokens > 0 ? `${formatShortCount(tokens)} tokens` : '',
    known > 0 ? `${formatCount(known)} from the cache` : '',
  ].filter((part) => part !== '');
  const lines = parts.length === 0 ? [] : [`  ${parts.join(' · ')}`];
  const missing = [
    refused > 0 ? `${formatCount(refused)} not taken by ${safeLine(provider)}` : '',
    pending > 0 ? `${formatCountOf(pending, 'passage')} pending` : '',
    failure === undefined ? '' : 'embedding failed',
  ].filter((part) => part !== '');
  if (missing.length === 0) return lines;
  const words = `${missing.join(' · ')}: found by their words alone`;
  return [...lines, `  ${failure === undefined ? style.yellow(words) : style.red(words)}`];
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
