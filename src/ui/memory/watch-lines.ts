import type { WatchEvent } from '../../engine/memory/watch/memory-watcher.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';
import { summaryWords } from './sync-summary.js';
import { failureWords, formatClock, pollingWords, watchingWords } from './watch-words.js';

/** How the lines of a watcher are written. */
export interface WatchLinesOptions {
  readonly style: Style;
  readonly name: string;
  /** Syncs that changed nothing, and failures already told, get a line too. */
  readonly verbose: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Takes whole lines of what was done. */
  readonly write: (line: string) => void;
  /** Takes whole lines of everything else. */
  readonly note: (line: string) => void;
}

/** The plain twin of the watch screen: a line for each sync, and for what a person must know. */
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
        options.note(line(style.yellow(`${pollingWords(event.everyMs)}; ${safeLine(event.why)}`)));
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
        const hint = failure.hint === undefined ? '' : `   mend: ${safeLine(failure.hint)}\n`;
        options.note(line(`${style.red('failed')}: ${failureWords(failure, retryInMs)}`) + hint);
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
