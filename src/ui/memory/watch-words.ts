import type { WatchFailure } from '../../engine/memory/watch/memory-watcher.js';
import { formatCountOf, formatDuration } from '../format.js';
import { safeLine } from '../safe-text.js';

/** How changes come to be known, as people say it. */
export function watchingWords(folders: number): string {
  return `watching ${formatCountOf(folders, 'folder')}`;
}

/** The same while the system is out of watches. */
export function pollingWords(everyMs: number): string {
  return `out of watches: looking every ${formatDuration(everyMs)}`;
}

/** What went wrong, and when it is tried again. */
export function failureWords(failure: WatchFailure, retryInMs: number): string {
  const again = retryInMs <= 0 ? 'trying again' : `tried again in ${formatDuration(retryInMs)}`;
  return `${safeLine(failure.message)}; ${again}`;
}

/** A time of day as a clock shows it: `09:05:00`, in the time zone of the process. */
export function formatClock(atMs: number): string {
  const date = new Date(atMs);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => part.toString().padStart(2, '0'))
    .join(':');
}
