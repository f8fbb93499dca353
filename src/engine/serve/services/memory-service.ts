import { type ResolvedAgent, searchedAgents } from '../../config/index.js';
import { isFollowed } from '../../memory/forgotten/index.js';
import { openAgent } from '../../memory/index.js';
import type { SyncSummary } from '../../memory/sync/index.js';
import { MemoryWatcher } from '../../memory/watch/memory-watcher.js';
import { type WatchEvent, watchTargetOf } from '../../memory/watch/watch-events.js';
import {
  hasAgent,
  hasSameConfig,
  type ServeSetup,
  type Service,
  type ServiceDefinition,
  type ServiceHost,
} from '../service.js';
import type { ServiceFailure } from '../state-file.js';

/** One service for each agent whose memory is searched. */
export function memoryDefinitions(setup: ServeSetup): readonly ServiceDefinition[] {
  return searchedAgents(setup.loaded, setup.context).map((agent) => ({
    name: `memory:${agent.id}`,
    start: (host) => watchMemory(agent, setup, host),
  }));
}

async function watchMemory(
  agent: ResolvedAgent,
  setup: ServeSetup,
  host: ServiceHost,
): Promise<Service> {
  const { context, loaded } = setup;
  const memory = await openAgent(agent, context, loaded, { longLived: true });
  const target = watchTargetOf(memory);
  // An external program has its own refresh at the start; see refresh-service.ts.
  const watched = memory.ext === undefined ? target : { ...target, syncsAtStart: false };
  const watcher = new MemoryWatcher(watched, {
    clock: context.clock,
    onEvent: watchReporter(host),
  });
  watcher.ended.catch(host.fail);
  const stopping = new AbortController();
  const { signal } = stopping;
  const begin = async (): Promise<void> => {
    await watcher.start();
    // After the sync, which fetches the list of a shared memory.
    if (signal.aborted || isFollowed(memory.forget)) return;
    const warnings = (await setup.completeForgetting?.(memory, { signal })) ?? [];
    for (const { code, message, hint } of warnings) host.log.warn({ code, hint }, message);
  };
  const ready = begin().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return {
    ready,
    reload: async (next) => opensSameMemory(setup, next, agent),
    drain: async () => {
      stopping.abort();
      await watcher.close();
      // The supervisor knows why it failed.
      await ready.catch(() => undefined);
    },
    stop: async () => {
      stopping.abort();
      await watcher.close();
      await memory.backend.close();
    },
  };
}

/**
 * Compares everything a memory is opened with: its agent, the providers, how secrets are read, where its index is,
 * and the external program if that searches.
 */
function opensSameMemory(setup: ServeSetup, next: ServeSetup, agent: ResolvedAgent): boolean {
  return (
    hasAgent(next, agent) &&
    hasSameConfig(setup, next, ['models', 'secrets', 'storage']) &&
    (agent.backend === 'builtin' || hasSameConfig(setup, next, ['memory']))
  );
}

/** `2 added, 1 changed`; what is first built is not rebuilt. */
function syncText({ added, changed, removed, renamed, rebuild }: SyncSummary): string {
  const parts = [
    rebuild && (rebuild.reason === 'first' ? 'new index' : 'rebuilt'),
    ...[
      [added, 'added'],
      [changed, 'changed'],
      [removed, 'removed'],
      [renamed, 'renamed'],
    ].map(([count, word]) => (count === 0 ? undefined : `${count} ${word}`)),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? 'up to date' : parts.join(', ');
}

/** Reports the events of a watcher in the log and as the state of its service. */
function watchReporter({
  log,
  setLastEvent,
  setProblem,
}: ServiceHost): (event: WatchEvent) => void {
  /** Until file watching is available again. */
  let polling: ServiceFailure | undefined;
  return (event) => {
    switch (event.type) {
      case 'watching':
        if (polling !== undefined) setProblem(undefined);
        polling = undefined;
        log.info({ folders: event.folders }, 'watching for changes');
        break;
      case 'polling':
        polling = {
          code: null,
          message: `file watching is unavailable, polling instead: ${event.why}`,
          hint: null,
        };
        setProblem(polling);
        log.warn(
          { why: event.why, everyMs: event.everyMs },
          'file watching is unavailable, polling instead',
        );
        break;
      case 'changed':
        log.debug({ path: event.path }, 'changed');
        break;
      case 'syncing':
        setLastEvent('syncing');
        log.debug({ cause: event.cause }, 'syncing');
        break;
      case 'progress':
        break;
      case 'synced': {
        const { outcome, added, changed, removed, durationMs } = event.summary;
        const text = syncText(event.summary);
        const [warning] = event.summary.warnings ?? [];
        setProblem(
          warning === undefined
            ? polling
            : { code: warning.code, message: warning.message, hint: warning.hint ?? null },
        );
        if (warning !== undefined)
          log.warn({ code: warning.code, hint: warning.hint }, warning.message);
        setLastEvent(text);
        const numbers = { cause: event.cause, added, changed, removed, ms: Math.round(durationMs) };
        if (outcome === 'unchanged') log.debug(numbers, text);
        else log.info(numbers, text);
        break;
      }
      case 'failed': {
        const { code, message, hint = null } = event.failure;
        const { attempt, retryInMs } = event;
        setProblem({ code, message, hint });
        setLastEvent('sync failed');
        log.error({ code, attempt, retryInMs, hint }, message);
        break;
      }
    }
  };
}
