import type { EmbeddingSummary } from '../../engine/memory/embedding/embed-missing.js';
import { isFaultySkip, skipWords } from '../../engine/memory/skip-words.js';
import type { SyncSummary } from '../../engine/memory/sync/index.js';
import {
  formatBytes,
  formatCount,
  formatCountOf,
  formatDuration,
  formatShortCountOf,
} from '../../engine/support/format.js';
import { safeLine } from '../safe-text.js';
import { paintedMark, type Style } from '../style.js';
import { modelWords, rebuildWords, skippedNames } from './words.js';

/** How the result of a sync is shown. */
export interface SyncSummaryOptions {
  readonly style: Style;
  readonly agentId: string;
  readonly verbose: boolean;
}

const SKIPS_NAMED = 3;

/**
 * The result of a sync in at most four lines (more with `verbose`): changes, duration, embeddings, and skipped files.
 */
export function renderSyncSummary(summary: SyncSummary, options: SyncSummaryOptions): string {
  const { style } = options;
  const stopped = summary.outcome === 'stopped';
  const mark = paintedMark(stopped ? 'warning' : 'ok', style);
  const lines = [`${mark} ${style.bold(safeLine(options.agentId))}  ${summaryWords(summary)}`];
  if (summary.outcome === 'updated' || summary.chunks > 0) lines.push(`  ${durationLine(summary)}`);
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
      ? 'stopped · no changes'
      : `stopped · ${changes} · finished work is kept`;
  }
  if (summary.rebuild === undefined) return changes;
  return summary.rebuild.reason === 'first'
    ? `${changes} · new index`
    : `${changes} · rebuilt: ${rebuildWords(summary.rebuild)}`;
}

function durationLine(summary: SyncSummary): string {
  const time = `in ${formatDuration(summary.durationMs)}`;
  // An external program reports no chunks.
  if (summary.chunks === 0 && summary.bytes === 0) return time;
  return `${formatCountOf(summary.chunks, 'chunk')} from ${formatBytes(summary.bytes)} ${time}`;
}

function embeddingLines(embedding: EmbeddingSummary, style: Style): readonly string[] {
  const { embedded, known, tokens, pending, embeddedBy = [] } = embedding;
  const { refused, failure, provider, model } = embedding;
  const who = safeLine(model === null ? provider : `${provider}, ${modelWords(model)}`);
  const parts = [
    embedded > 0 ? `${formatCountOf(embedded, 'passage')} embedded (${who})` : '',
    tokens > 0 ? formatShortCountOf(tokens, 'token') : '',
    known > 0 ? `${formatCount(known)} from the cache` : '',
  ].filter((part) => part !== '');
  const lines = parts.length === 0 ? [] : [`  ${parts.join(' · ')}`];
  const hosts = embeddedBy.map(safeLine).join(', ');
  const elsewhere = hosts === '' ? '' : `, being embedded by ${hosts}`;
  const missing = [
    refused > 0 ? `${formatCount(refused)} refused by ${safeLine(provider)}` : '',
    pending > 0 ? `${formatCountOf(pending, 'passage')} pending${elsewhere}` : '',
    failure === undefined ? '' : 'embedding failed',
  ].filter((part) => part !== '');
  if (missing.length === 0) return lines;
  const words = `${missing.join(' · ')}: keyword search only`;
  return [...lines, `  ${failure === undefined ? style.warning(words) : style.fault(words)}`];
}

function skipLines(summary: SyncSummary, options: SyncSummaryOptions): readonly string[] {
  const { style, verbose } = options;
  if (verbose) {
    return summary.skipped.map(
      (skip) => `  ${style.warning('skipped')} ${safeLine(`${skip.path}: ${skipWords(skip)}`)}`,
    );
  }
  const faulty = summary.skipped.filter(isFaultySkip);
  if (faulty.length === 0) return [];
  const words = `skipped ${formatCount(faulty.length)}: ${skippedNames(faulty, SKIPS_NAMED)}`;
  return [`  ${style.warning(words)}`];
}
