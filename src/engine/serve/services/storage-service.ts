import { setTimeout as sleep } from 'node:timers/promises';
import {
  agreeIn,
  type ServeSetup,
  type Service,
  type ServiceDefinition,
  type ServiceHost,
  serviceFailure,
} from '../service.js';
import type { ServiceFailure } from '../state-file.js';

const ASK_MS = 2000;

/** The service that watches the PostgreSQL server, so that hosts without it count as not ready. */
export function storageDefinitions(setup: ServeSetup): readonly ServiceDefinition[] {
  if (setup.loaded.resolved.storage.url === undefined) return [];
  return [{ name: 'storage', start: (host) => start(setup, host) }];
}

async function start(setup: ServeSetup, { log, tell, trouble }: ServiceHost): Promise<Service> {
  const { describeAddress, openServer, requireCurrent } = await import('../../postgres/index.js');
  const server = await openServer(setup.context, setup.loaded.resolved);
  const where = describeAddress(server.address);
  const stop = new AbortController();
  let failing: ServiceFailure | undefined;
  let isFirst = true;
  let isCurrent = false;
  const ask = async (): Promise<void> => {
    try {
      if (isCurrent) await server.query('SELECT 1');
      else await requireCurrent(server);
      // A newer svc may migrate while this one runs; the next start is refused.
      isCurrent = true;
      if (failing !== undefined) log.info(`${where} answers again`);
      if (failing !== undefined || isFirst) tell(`connected to ${where}`);
      failing = undefined;
    } catch (error) {
      const failure = serviceFailure(error);
      if (failure.code !== failing?.code) {
        log.error({ code: failure.code, hint: failure.hint }, failure.message);
      }
      failing = failure;
    }
    isFirst = false;
    if (!stop.signal.aborted) trouble(failing);
  };
  const watch = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await sleep(ASK_MS, undefined, { signal: stop.signal }).catch(() => undefined);
      if (!stop.signal.aborted) await ask();
    }
  };
  const first = ask();
  const watching = first.then(watch);
  return {
    ready: first,
    reload: async (next) => agreeIn(setup, next, ['secrets', 'storage']),
    drain: async () => undefined,
    stop: async () => {
      stop.abort();
      await watching;
    },
  };
}
