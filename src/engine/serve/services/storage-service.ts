import { SvcError } from '../../errors/index.js';
import { sleepAtMost, withinTime } from '../../support/async.js';
import {
  hasSameConfig,
  type ServeSetup,
  type Service,
  type ServiceDefinition,
  type ServiceHost,
  serviceFailure,
} from '../service.js';
import type { ServiceFailure } from '../state-file.js';

const PROBE_MS = 2000;
/** A server that hangs must not count as ready for as long as a statement may take. */
const ANSWER_LIMIT_MS = 5000;

/** The service that watches the PostgreSQL server, so that hosts without it count as not ready. */
export function storageDefinitions(setup: ServeSetup): readonly ServiceDefinition[] {
  if (setup.loaded.resolved.storage.url === undefined) return [];
  return [{ name: 'storage', start: (host) => start(setup, host) }];
}

async function start(
  setup: ServeSetup,
  { log, setLastEvent, setProblem }: ServiceHost,
): Promise<Service> {
  const { describeAddress, openServer, requireCurrent } = await import('../../postgres/index.js');
  const server = await openServer(setup.context, setup.loaded.resolved);
  const where = describeAddress(server.address);
  const stop = new AbortController();
  let failing: ServiceFailure | undefined;
  let isCurrent = false;
  let probing: Promise<unknown> | undefined;
  const probe = async (): Promise<void> => {
    try {
      // One that hangs stays the only one, and settles in the background.
      probing ??= (isCurrent ? server.query('SELECT 1') : requireCurrent(server)).finally(() => {
        probing = undefined;
      });
      const current = probing;
      const { done } = await withinTime(ANSWER_LIMIT_MS, stop.signal, () => current);
      if (!done) throw unanswered(where);
      if (failing !== undefined) log.info(`${where} answers again`);
      if (failing !== undefined || !isCurrent) setLastEvent(`connected to ${where}`);
      failing = undefined;
      // A newer svc may migrate while this one runs; the next start is refused.
      isCurrent = true;
    } catch (error) {
      if (stop.signal.aborted) return;
      const failure = serviceFailure(error);
      if (failure.code !== failing?.code) {
        log.error({ code: failure.code, hint: failure.hint }, failure.message);
      }
      failing = failure;
    }
    setProblem(failing);
  };
  const watch = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await sleepAtMost(PROBE_MS, stop.signal);
      if (!stop.signal.aborted) await probe();
    }
  };
  const first = probe();
  const watching = first.then(watch);
  return {
    ready: first,
    reload: async (next) => hasSameConfig(setup, next, ['secrets', 'storage']),
    drain: async () => undefined,
    stop: async () => {
      stop.abort();
      await watching;
    },
  };
}

function unanswered(where: string): SvcError {
  const limit = ANSWER_LIMIT_MS / 1000;
  return new SvcError(
    'STORAGE_UNREACHABLE',
    `the PostgreSQL server ${where} did not answer within ${limit} s`,
    { hint: 'check that it runs and is not overloaded' },
  );
}
