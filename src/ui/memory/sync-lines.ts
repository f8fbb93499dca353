import type { SkippedFile } from '../../engine/memory/index.js';
import { isFaultySkip, skipWords } from '../../engine/memory/skip-words.js';
import type { SyncEvent } from '../../engine/memory/sync/index.js';
import type { WatchEvent, WatchFailure } from '../../engine/memory/watch/watch-events.js';
import {
  formatBytes,
  formatClock,
  formatCount,
  formatCountOf,
  formatDuration,
  formatRate,
} from '../../engine/support/format.js';
import { downloadNote } from '../provider/install-words.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';
import {
  type EmbedProgress,
  embedDetailWords,
  embedFraction,
  type ProviderEvent,
  providerEventWords,
} from './embed-progress.js';
import {
  reduceSync,
  type SyncProgress,
  startSyncProgress,
  syncFraction,
  syncRate,
} from './sync-progress.js';
import { summaryWords } from './sync-summary.js';
import { archiveWords, modelWords, rebuildWords, removedWords, waitingWords } from './words.js';

/** How a sync is reported as lines. */
export interface SyncLinesOptions {
  readonly style: Style;
  readonly verbose: boolean;
  /** Milliseconds on any steady clock. */
  readonly now: () => number;
  /** Prefix of each line, for several agents. */
  readonly label?: string;
}

/** Minimum time between progress lines; each reports another tenth, … */
const PROGRESS_EVERY_MS = 2000;
/** … or that work goes on, after this long without a line. */
const LONGEST_SILENCE_MS = 30_000;
/** Minimum time between lines about rate limits or retries. */
const LIMIT_EVERY_MS = 10_000;
/** Skipped files reported as they happen; the summary counts the rest. */
const MAX_SKIPS_PRINTED = 3;

/**
 * Reports a sync as lines on stderr, for where there is no screen. Uses the same reducer as the screen, so that they
 * agree.
 *
 * @param write gets whole lines with their line break
 */
export function createSyncLines(
  write: (line: string) => void,
  options: SyncLinesOptions,
): (event: SyncEvent) => void {
  const { now, style } = options;
  const prefix = options.label === undefined ? '' : `${style.dim(`${safeLine(options.label)}:`)} `;
  const print = (line: string | undefined): void => {
    if (line !== undefined) write(`${prefix}${line}\n`);
  };
  let state = startSyncProgress(now());
  let lastPrinted = {
    atMs: now(),
    tenths: 0,
    skips: 0,
    limitMs: Number.NEGATIVE_INFINITY,
    download: '',
  };

  const dueProgress = (fraction: number, words: () => string): string | undefined => {
    const tenths = Math.floor(fraction * 10);
    const silentMs = state.lastMs - lastPrinted.atMs;
    const isDue = tenths > lastPrinted.tenths || silentMs >= LONGEST_SILENCE_MS;
    if (silentMs < PROGRESS_EVERY_MS || !isDue) return undefined;
    lastPrinted = { ...lastPrinted, atMs: state.lastMs, tenths };
    return words();
  };
  const providerLine = (event: ProviderEvent): string | undefined => {
    if (event.type === 'rate.limited') {
      if (state.lastMs - lastPrinted.limitMs < LIMIT_EVERY_MS) return undefined;
      lastPrinted = { ...lastPrinted, limitMs: state.lastMs };
    }
    // After a long silence, a retry is reported anyway: a server that hangs would print nothing for minutes.
    const silentMs = state.lastMs - Math.max(lastPrinted.atMs, lastPrinted.limitMs);
    const isSlowRetry = event.type === 'request.retried' && silentMs >= LIMIT_EVERY_MS;
    if (isSlowRetry) lastPrinted = { ...lastPrinted, limitMs: state.lastMs };
    if (event.type === 'model.download') {
      // The key changes with each tenth.
      const { key } = downloadNote(event);
      if (key === lastPrinted.download) return undefined;
      lastPrinted = { ...lastPrinted, download: key };
    }
    return providerEventWords(
      event,
      state.embedding?.provider ?? '',
      options.verbose || isSlowRetry,
    );
  };
  const skipLine = (file: SkippedFile): string | undefined => {
    const isPrinted =
      options.verbose || (isFaultySkip(file) && lastPrinted.skips < MAX_SKIPS_PRINTED);
    if (!isPrinted) return undefined;
    lastPrinted = { ...lastPrinted, skips: lastPrinted.skips + 1 };
    return `${style.warning('skipped')} ${safeLine(`${file.path}: ${skipWords(file)}`)}`;
  };

  const removalLine = (): string | undefined => {
    const { removed } = state;
    if (removed === undefined || options.verbose) return undefined;
    const line = dueProgress(removed.done / removed.planned, () => removedWords(removed));
    // The files to index begin at 0 again.
    if (removed.done === removed.planned) lastPrinted = { ...lastPrinted, tenths: 0 };
    return line;
  };

  return (event) => {
    state = reduceSync(state, event, now());
    if (event.type === 'document.skipped') print(skipLine(event));
    if (event.type === 'document.removed') print(removalLine());
    if (event.type === 'scan.finished' || event.type === 'embed.started') {
      lastPrinted = { ...lastPrinted, atMs: state.lastMs, tenths: 0 };
    }
    if (event.type === 'embed.provider') return print(providerLine(event.event));
    print(eventLine(event, options.verbose));
    if (event.type === 'archive.updated') {
      print(dueProgress(event.fraction, () => archiveWords(event)));
    }
    const isRead = 'work' in event;
    if (isRead && !options.verbose) {
      print(dueProgress(syncFraction(state), () => chunkingLine(state)));
    }
    const { embedding } = state;
    if (event.type === 'embed.stored' && embedding !== undefined) {
      print(dueProgress(embedFraction(embedding), () => embeddingLine(embedding)));
    }
  };
}

function eventLine(event: SyncEvent, verbose: boolean): string | undefined {
  switch (event.type) {
    case 'lock.waiting':
      return waitingWords({ pid: event.holder?.pid, part: event.part });
    case 'rebuild.started':
      return `building the index: ${rebuildWords(event)}`;
    case 'scan.finished': {
      if (event.filesToIndex === 0 && !verbose) return undefined;
      const size = event.bytes === 0 ? '' : `, ${formatBytes(event.bytes)}`;
      const found = formatCountOf(event.files, 'file') + size;
      return `found ${found}; ${formatCount(event.filesToIndex)} to index`;
    }
    case 'sync.finished':
      return event.summary.outcome === 'stopped' ? 'stopped' : undefined;
    case 'document.indexed':
      return verbose
        ? `indexed ${safeLine(event.path)}, ${formatCountOf(event.chunks, 'chunk')}`
        : undefined;
    case 'ext.running':
      return `external search program: ${safeLine(event.command)}`;
    case 'document.unchanged':
      return verbose ? `unchanged ${safeLine(event.path)}` : undefined;
    case 'document.removed':
      return verbose ? `removed ${safeLine(event.path)}` : undefined;
    case 'publish.started':
      return verbose ? 'publishing the new index' : undefined;
    case 'embed.started': {
      if (event.passages === 0 && !verbose) return undefined;
      const who = `${safeLine(event.provider)} (${modelWords(safeLine(event.model))})`;
      return `embedding ${formatCountOf(event.passages, 'passage')} with ${who}`;
    }
    case 'embed.fallback':
      return `${safeLine(event.from)} failed, continuing with ${safeLine(event.to)}: ${safeLine(event.why)}`;
    case 'archive.updated':
    case 'batch.committed':
    case 'document.skipped':
    case 'embed.provider':
    case 'embed.stored':
      return undefined;
  }
}

function embeddingLine(embedding: EmbedProgress): string {
  const { done, planned } = embedding;
  const detail = embedDetailWords(embedding);
  const parts = [
    `${formatCount(done)} of ${formatCountOf(planned, 'passage')}`,
    `${Math.floor(embedFraction(embedding) * 100)} %`,
    ...(detail === '' ? [] : [detail]),
  ];
  return parts.join(' · ');
}

function chunkingLine(state: SyncProgress): string {
  const rate = syncRate(state);
  const parts = [
    `${formatCount(state.handled.files)} of ${formatCountOf(state.planned.files, 'file')}`,
    `${Math.floor(syncFraction(state) * 100)} %`,
    formatCountOf(state.chunks, 'chunk'),
  ];
  if (rate !== undefined) parts.push(formatRate(rate, 'chunks'));
  return parts.join(' · ');
}

interface WatchLinesOptions {
  readonly style: Style;
  readonly name: string;
  /** Also reports syncs without changes and repeated failures. */
  readonly verbose: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Writes a line about a sync. */
  readonly write: (line: string) => void;
  /** Writes any other line. */
  readonly note: (line: string) => void;
}

/** Reports a watcher as lines, for where there is no screen. */
export function createWatchLines(options: WatchLinesOptions): (event: WatchEvent) => void {
  const { style, name, verbose } = options;
  const line = (text: string): string =>
    `${style.dim(formatClock(options.now()))}  ${style.bold(safeLine(name))}  ${text}\n`;
  let lastFailure: string | undefined;
  return (event) => {
    switch (event.type) {
      case 'watching':
        options.note(line(watchingWords(event.folders)));
        return;
      case 'polling':
        options.note(line(style.warning(`${pollingWords(event.everyMs)}; ${safeLine(event.why)}`)));
        return;
      case 'synced': {
        const { cause, summary } = event;
        const wasFailing = lastFailure !== undefined && summary.embedding?.failure === undefined;
        if (wasFailing) lastFailure = undefined;
        if (summary.outcome === 'unchanged' && cause !== 'start' && !wasFailing && !verbose) return;
        options.write(line(summaryWords(summary)));
        return;
      }
      case 'failed': {
        const { failure, retryInMs } = event;
        if (failure.message === lastFailure && !verbose) return;
        lastFailure = failure.message;
        const hint = failure.hint === undefined ? '' : `   hint: ${safeLine(failure.hint)}\n`;
        options.note(line(`${style.fault('failed')}: ${failureWords(failure, retryInMs)}`) + hint);
        return;
      }
      case 'changed':
        if (verbose) options.note(line(`changed ${safeLine(event.path)}`));
        return;
      case 'progress':
      case 'syncing':
        return;
    }
  };
}

export function watchingWords(folders: number): string {
  return `watching ${formatCountOf(folders, 'folder')}`;
}

export function pollingWords(everyMs: number): string {
  return `file watching is unavailable; polling every ${formatDuration(everyMs)}`;
}

/** The failure, and when the sync is retried. */
export function failureWords(failure: WatchFailure, retryInMs: number): string {
  const again = retryInMs <= 0 ? 'retrying' : `retrying in ${formatDuration(retryInMs)}`;
  return `${safeLine(failure.message)}; ${again}`;
}
