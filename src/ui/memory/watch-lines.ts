import type { WatchEvent, WatchFailure } from '../../engine/memory/watch/index.js';
import { formatCountOf, formatDuration } from '../../engine/support/format.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';
import { summaryWords } from './sync-summary.js';

/** How a watcher is reported as lines. */
export interface WatchLinesOptions {
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
  let told: string | undefined;
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
        const wasFailing = told !== undefined && summary.embedding?.failure === undefined;
        if (wasFailing) told = undefined;
        if (summary.outcome === 'unchanged' && cause !== 'start' && !wasFailing && !verbose) return;
        options.write(line(summaryWords(summary)));
        return;
      }
      case 'failed': {
        const { failure, retryInMs } = event;
        if (failure.message === told && !verbose) return;
        told = failure.message;
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

/** A time of day: `09:05:00`, in the local time zone. */
export function formatClock(atMs: number): string {
  const date = new Date(atMs);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => part.toString().padStart(2, '0'))
    .join(':');
}
