import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { faultFields, messageOf } from '../errors/index.js';
import { type Deferred, deferred } from '../support/async.js';
import type { Clock } from '../support/context.js';
import { backoffMs, iso } from '../support/time.js';
import {
  type ServeSetup,
  type Service,
  type ServiceDefinition,
  type ServiceHost,
  serviceFailure,
} from './service.js';
import type { ServiceFailure, ServiceSnapshot, ServiceState } from './state-file.js';

interface SupervisorOptions {
  readonly clock: Clock;
  readonly backoff: Backoff;
  readonly log: Logger;
  /** Called after every change of any service. */
  readonly onChange: () => void;
}

export type Supervisor = ReturnType<typeof createSupervisor>;

/** All services of the process. A failure of one does not affect the others. */
export function createSupervisor(options: SupervisorOptions) {
  /** By name, in the order they were started. */
  const services = new Map<string, SupervisedService>();
  /** Starts all of them without waiting: listeners first, because building an index would hold them up. */
  const start = (definitions: readonly ServiceDefinition[]): void => {
    const listeners: SupervisedService[] = [];
    const others: SupervisedService[] = [];
    for (const definition of definitions) {
      const service = supervised(definition, options);
      services.set(definition.name, service);
      (definition.addresses === undefined ? others : listeners).push(service);
    }
    for (const service of listeners) service.start();
    void Promise.all(listeners.map(({ tried }) => tried)).then(() => {
      for (const service of others) service.start();
    });
  };
  const endService = async (name: string): Promise<void> => {
    const service = services.get(name);
    await service?.drain();
    await service?.stop();
    services.delete(name);
  };
  return {
    get snapshots(): readonly ServiceSnapshot[] {
      return Array.from(services.values(), (service) => service.snapshot());
    },
    start,
    /** Ends removed services, starts new ones, and reloads the others. */
    reload: async (definitions: readonly ServiceDefinition[], setup: ServeSetup): Promise<void> => {
      const defined = new Map(definitions.map((definition) => [definition.name, definition]));
      const gone = [...services.keys()].filter((name) => !defined.has(name));
      await Promise.all(gone.map(endService));
      for (const [name, definition] of defined) {
        const running = services.get(name);
        if (running === undefined) start([definition]);
        else await running.reload(definition, setup);
      }
      options.onChange();
    },
    /** Gives up what services wait for to start or reload; `end` follows. */
    abort: (): void => {
      for (const service of services.values()) service.abort();
    },
    /**
     * Drains all of them in parallel, then stops them. The first one is stopped last, because it reports the
     * state of the others.
     */
    end: async (): Promise<void> => {
      const all = [...services.values()];
      await Promise.all(all.map((service) => service.drain()));
      for (const service of all.reverse()) await service.stop();
    },
  };
}

type SupervisedService = ReturnType<typeof supervised>;

/**
 * One service: started, restarted after a failure and a delay, reloaded, drained,
 * stopped. It never throws an error of the service.
 */
function supervised(first: ServiceDefinition, options: SupervisorOptions) {
  const { backoff, clock, onChange } = options;
  const log = options.log.child({ service: first.name });
  const now = (): string => iso(clock.now());
  /** Once aborted, it is neither restarted nor reloaded. */
  const ending = new AbortController();
  const { signal } = ending;
  let definition = first;
  let service: Service | undefined;
  /** Requests the end of this run: to restart with another configuration, or to stop. */
  let endRequest: Deferred<true> = deferred();
  /** What is wrong in this run although the service works on. */
  let problem: ServiceFailure | null = null;
  const tried = deferred<void>();
  let runs: Promise<void> = Promise.resolve();
  let current: ServiceSnapshot = {
    name: first.name,
    state: 'starting',
    since: now(),
    url: null,
    event: null,
    eventAt: null,
    restarts: 0,
    failure: null,
    retryAt: null,
  };
  const updateSnapshot = (part: Partial<ServiceSnapshot>): void => {
    current = { ...current, ...part };
    onChange();
  };
  const enterState = (
    state: ServiceState,
    more: { readonly failure?: ServiceFailure; readonly retryAt?: string } = {},
  ): void => {
    const isSame = state === current.state;
    if (!isSame) log.debug({ state }, state);
    if (state !== 'starting') tried.resolve();
    // The last failure stays visible while a restart is tried.
    const failureSoFar = state === 'starting' ? current.failure : problem;
    const { failure = failureSoFar, retryAt = null } = more;
    const since = isSame ? current.since : now();
    updateSnapshot({ state, since, url: service?.url ?? null, failure, retryAt });
  };
  /** Ignores what an earlier run still reports. */
  const hostOf = (fail: (error: unknown) => void, ended: AbortSignal): ServiceHost => ({
    log,
    fail,
    signal,
    setLastEvent: (event) => {
      if (!ended.aborted) updateSnapshot({ event, eventAt: now() });
    },
    setProblem: (failure) => {
      if (ended.aborted) return;
      problem = failure ?? null;
      if (current.state !== 'starting') updateSnapshot({ failure: problem });
    },
  });
  const stopService = async (): Promise<void> => {
    const stopped = service;
    service = undefined;
    try {
      await stopped?.stop();
    } catch (error) {
      log.error(faultFields(error), `could not be stopped cleanly: ${messageOf(error)}`);
    }
  };
  /** Runs the service until a reload or stop is requested. @throws why the service failed */
  const runOnce = async (): Promise<void> => {
    const broken = deferred<never>();
    const run = new AbortController();
    problem = null;
    enterState('starting');
    try {
      service = await definition.start(hostOf(broken.reject, run.signal));
      const requested = endRequest.promise;
      const isRequested = await Promise.race([service.ready, broken.promise, requested]);
      if (isRequested === true) return;
      if (!signal.aborted) enterState('ready');
      await Promise.race([broken.promise, requested]);
    } finally {
      run.abort();
      await stopService();
    }
  };
  /** Waits for the next start. @returns whether a reload or stop was requested before */
  const waitToRestart = async (error: unknown, ms: number): Promise<boolean> => {
    const failure = serviceFailure(error);
    log.error({ ...faultFields(error), retryInMs: ms }, `failed: ${failure.message}`);
    enterState('waiting', { failure, retryAt: iso(clock.now() + ms) });
    const waiting = new AbortController();
    const slept = sleep(ms, false, { signal: waiting.signal }).catch(() => false);
    try {
      return await Promise.race([slept, endRequest.promise]);
    } finally {
      waiting.abort();
    }
  };
  const runUntilStopped = async (): Promise<void> => {
    const { firstMs, mostMs, resetAfterMs } = backoff;
    for (let failures = 0; !signal.aborted; ) {
      endRequest = deferred();
      const startedMs = performance.now();
      try {
        await runOnce();
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        failures = performance.now() - startedMs >= resetAfterMs ? 1 : failures + 1;
        const isRequested = await waitToRestart(error, backoffMs(failures, firstMs, mostMs));
        if (isRequested) failures = 0;
        else updateSnapshot({ restarts: current.restarts + 1 });
      }
    }
  };
  const tryReload = async (setup: ServeSetup): Promise<boolean> => {
    try {
      return (await service?.reload(setup)) ?? false;
    } catch (error) {
      if (signal.aborted) return false;
      const message = `could not apply the new configuration: ${messageOf(error)}`;
      log.error(faultFields(error), message);
      return false;
    }
  };
  /** Gives up what it waits for to start or reload. */
  const abort = (): void => ending.abort();
  return {
    snapshot: (): ServiceSnapshot => current,
    /** Resolves once it has started, has failed to, or ends. */
    tried: tried.promise,
    /** The result is in the snapshot. */
    start: (): void => {
      runs = runUntilStopped();
    },
    /** Applies another configuration: without a pause if possible, otherwise with a restart. */
    reload: async (next: ServiceDefinition, setup: ServeSetup): Promise<void> => {
      definition = next;
      if (signal.aborted || (await tryReload(setup)) || signal.aborted) return;
      endRequest.resolve(true);
    },
    abort,
    /** Finishes the work in progress. */
    drain: async (): Promise<void> => {
      abort();
      enterState('draining');
      try {
        await service?.drain();
      } catch (error) {
        log.error(faultFields(error), `could not finish its work: ${messageOf(error)}`);
      }
    },
    /** Stops permanently; resolves when everything is released. */
    stop: async (): Promise<void> => {
      abort();
      endRequest.resolve(true);
      await runs;
      enterState('stopped');
    },
  };
}

/** Delays before restarts. */
export interface Backoff {
  /** Before the first restart; doubles with each failure in a row. */
  readonly firstMs: number;
  readonly mostMs: number;
  /** After working this long, a failure counts as the first one. */
  readonly resetAfterMs: number;
}

export const SERVICE_BACKOFF: Backoff = { firstMs: 1000, mostMs: 60_000, resetAfterMs: 120_000 };
