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

/** All services of the process. A failure of one does not affect the others. */
export class Supervisor {
  private readonly options: SupervisorOptions;
  /** By name, in the order they were started. */
  private readonly services = new Map<string, SupervisedService>();

  constructor(options: SupervisorOptions) {
    this.options = options;
  }

  get snapshots(): readonly ServiceSnapshot[] {
    return Array.from(this.services.values(), ({ snapshot }) => snapshot);
  }

  /** Starts all of them without waiting. */
  start(definitions: readonly ServiceDefinition[]): void {
    for (const definition of definitions) this.startService(definition);
  }

  /** Ends removed services, starts new ones, and reloads the others. */
  async reload(definitions: readonly ServiceDefinition[], setup: ServeSetup): Promise<void> {
    const defined = new Map(definitions.map((definition) => [definition.name, definition]));
    const gone = [...this.services.keys()].filter((name) => !defined.has(name));
    await Promise.all(gone.map((name) => this.endService(name)));
    for (const [name, definition] of defined) {
      const running = this.services.get(name);
      if (running === undefined) this.startService(definition);
      else await running.reload(definition, setup);
    }
    this.options.onChange();
  }

  /** Gives up what services wait for to start or reload; {@link end} follows. */
  abort(): void {
    for (const service of this.services.values()) service.abort();
  }

  /**
   * Drains all of them in parallel, then stops them. The first one is stopped last, because it reports the
   * state of the others.
   */
  async end(): Promise<void> {
    const all = [...this.services.values()];
    await Promise.all(all.map((service) => service.drain()));
    for (const service of all.reverse()) await service.stop();
  }

  private startService(definition: ServiceDefinition): void {
    const service = new SupervisedService(definition, this.options);
    this.services.set(definition.name, service);
    service.start();
  }

  private async endService(name: string): Promise<void> {
    const service = this.services.get(name);
    await service?.drain();
    await service?.stop();
    this.services.delete(name);
  }
}

/**
 * One service: started, restarted after a failure and a delay, reloaded, drained,
 * stopped. It never throws an error of the service.
 */
class SupervisedService {
  private readonly options: SupervisorOptions;
  private readonly log: Logger;
  private definition: ServiceDefinition;
  private service: Service | undefined;
  /** Requests the end of this run: to restart with another configuration, or to stop. */
  private endRequest: Deferred<true> = deferred();
  /** Once aborted, it is neither restarted nor reloaded. */
  private readonly ending = new AbortController();
  /** What is wrong in this run although the service works on. */
  private problem: ServiceFailure | null = null;
  private runs: Promise<void> = Promise.resolve();
  private current: ServiceSnapshot;

  constructor(definition: ServiceDefinition, options: SupervisorOptions) {
    this.definition = definition;
    this.options = options;
    this.log = options.log.child({ service: definition.name });
    this.current = {
      name: definition.name,
      state: 'starting',
      since: iso(options.clock.now()),
      url: null,
      event: null,
      eventAt: null,
      restarts: 0,
      failure: null,
      retryAt: null,
    };
  }

  get snapshot(): ServiceSnapshot {
    return this.current;
  }

  private get isEnding(): boolean {
    return this.ending.signal.aborted;
  }

  /** The result is in the snapshot. */
  start(): void {
    this.runs = this.runUntilStopped();
  }

  /** Applies another configuration: without a pause if possible, otherwise with a restart. */
  async reload(definition: ServiceDefinition, setup: ServeSetup): Promise<void> {
    this.definition = definition;
    if (this.isEnding) return;
    if ((await this.tryReload(setup)) || this.isEnding) return;
    this.endRequest.resolve(true);
  }

  /** Gives up what it waits for to start or reload. */
  abort(): void {
    this.ending.abort();
  }

  /** Finishes the work in progress. */
  async drain(): Promise<void> {
    this.abort();
    this.enterState('draining');
    try {
      await this.service?.drain();
    } catch (error) {
      this.log.error(faultFields(error), `could not finish its work: ${messageOf(error)}`);
    }
  }

  /** Stops permanently; resolves when everything is released. */
  async stop(): Promise<void> {
    this.abort();
    this.endRequest.resolve(true);
    await this.runs;
    this.enterState('stopped');
  }

  private async tryReload(setup: ServeSetup): Promise<boolean> {
    if (this.service === undefined) return false;
    try {
      return await this.service.reload(setup);
    } catch (error) {
      if (this.isEnding) return false;
      this.log.error(
        faultFields(error),
        `could not apply the new configuration: ${messageOf(error)}`,
      );
      return false;
    }
  }

  private async runUntilStopped(): Promise<void> {
    const { firstMs, mostMs, resetAfterMs } = this.options.backoff;
    for (let failures = 0; !this.isEnding; ) {
      this.endRequest = deferred();
      const startedMs = performance.now();
      try {
        await this.runOnce();
        failures = 0;
      } catch (error) {
        if (this.isEnding) return;
        failures = performance.now() - startedMs >= resetAfterMs ? 1 : failures + 1;
        const isRequested = await this.waitToRestart(error, backoffMs(failures, firstMs, mostMs));
        if (isRequested) failures = 0;
        else this.updateSnapshot({ restarts: this.current.restarts + 1 });
      }
    }
  }

  /** Runs the service until a reload or stop is requested. @throws why the service failed */
  private async runOnce(): Promise<void> {
    const broken = deferred<never>();
    const run = new AbortController();
    this.problem = null;
    this.enterState('starting');
    try {
      this.service = await this.definition.start(this.host(broken.reject, run.signal));
      const requested = this.endRequest.promise;
      const isRequested = await Promise.race([this.service.ready, broken.promise, requested]);
      if (isRequested === true) return;
      if (!this.isEnding) this.enterState('ready');
      await Promise.race([broken.promise, requested]);
    } finally {
      run.abort();
      await this.stopService();
    }
  }

  private async stopService(): Promise<void> {
    const { service } = this;
    this.service = undefined;
    try {
      await service?.stop();
    } catch (error) {
      this.log.error(faultFields(error), `could not be stopped cleanly: ${messageOf(error)}`);
    }
  }

  /** Waits for the next start. @returns whether a reload or stop was requested before */
  private async waitToRestart(error: unknown, ms: number): Promise<boolean> {
    const failure = serviceFailure(error);
    this.log.error({ ...faultFields(error), retryInMs: ms }, `failed: ${failure.message}`);
    this.enterState('waiting', { failure, retryAt: iso(this.options.clock.now() + ms) });
    const waiting = new AbortController();
    const slept = sleep(ms, false, { signal: waiting.signal }).catch(() => false);
    try {
      return await Promise.race([slept, this.endRequest.promise]);
    } finally {
      waiting.abort();
    }
  }

  /** Ignores what an earlier run still reports. */
  private host(fail: (error: unknown) => void, ended: AbortSignal): ServiceHost {
    return {
      log: this.log,
      fail,
      signal: this.ending.signal,
      setLastEvent: (event) => {
        if (!ended.aborted) this.updateSnapshot({ event, eventAt: iso(this.options.clock.now()) });
      },
      setProblem: (failure) => {
        if (ended.aborted) return;
        this.problem = failure ?? null;
        if (this.current.state !== 'starting') this.updateSnapshot({ failure: this.problem });
      },
    };
  }

  private enterState(
    state: ServiceState,
    more: { readonly failure?: ServiceFailure; readonly retryAt?: string } = {},
  ): void {
    if (state !== this.current.state) this.log.debug({ state }, state);
    // The last failure stays visible while a restart is tried.
    const failureSoFar = state === 'starting' ? this.current.failure : this.problem;
    const { failure = failureSoFar, retryAt = null } = more;
    const isSame = state === this.current.state;
    const since = isSame ? this.current.since : iso(this.options.clock.now());
    this.updateSnapshot({ state, since, url: this.service?.url ?? null, failure, retryAt });
  }

  private updateSnapshot(part: Partial<ServiceSnapshot>): void {
    this.current = { ...this.current, ...part };
    this.options.onChange();
  }
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
