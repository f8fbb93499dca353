import type { WatchEvent } from '../../memory/watch/memory-watcher.js';
import type { ServiceHost } from '../service.js';
import type { ServiceFailure } from '../service-failure.js';
import { syncWords } from './sync-words.js';

/** Tells the process what a watcher tells: in the log, and as the state of its service. */
export function watchTeller({ log, tell, trouble }: ServiceHost): (event: WatchEvent) => void {
  /** Holds until watches are to be had again, whatever is synced meanwhile. */
  let polling: ServiceFailure | undefined;
  return (event) => {
    switch (event.type) {
      case 'watching':
        if (polling !== undefined) trouble(undefined);
        polling = undefined;
        log.info({ folders: event.folders }, 'watching for changes');
        break;
      case 'polling':
        polling = { code: null, message: `looks again and again: ${event.why}`, mend: null };
        trouble(polling);
        log.warn({ why: event.why, everyMs: event.everyMs }, 'no watches are to be had: polling');
        break;
      case 'changed':
        log.debug({ path: event.path }, 'changed');
        break;
      case 'syncing':
        tell('syncing');
        log.debug({ cause: event.cause }, 'syncing');
        break;
      case 'progress':
        break;
      case 'synced': {
        const { outcome, added, changed, removed, durationMs } = event.summary;
        const words = syncWords(event.summary);
        const [warning] = event.summary.warnings ?? [];
        trouble(
          warning === undefined
            ? polling
            : { code: warning.code, message: warning.message, mend: warning.hint ?? null },
        );
        if (warning !== undefined)
          log.warn({ code: warning.code, mend: warning.hint }, warning.message);
        tell(words);
        const figures = { cause: event.cause, added, changed, removed, ms: Math.round(durationMs) };
        if (outcome === 'unchanged') log.debug(figures, words);
        else log.info(figures, words);
        break;
      }
      case 'failed': {
        const { code, message, hint = null } = event.failure;
        const { attempt, retryInMs } = event;
        trouble({ code, message, mend: hint });
        tell('a sync failed');
        log.error({ code, attempt, retryInMs, mend: hint }, message);
        break;
      }
    }
  };
}
