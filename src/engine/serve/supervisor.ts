import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { faultFields, messageOf } from '../errors/index.js';
import { type Deferred, deferred } from '../support/async.js';
import type { Clock } from '../support/context.js';
import { backoffMs } from '../support/time.js';
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
    for (const definition of definitions) this.begin(definition);
  }

  /** Ends removed services, starts new ones, and reloads the others. */
  async reload(definitions: readonly ServiceDefinition[], setup: ServeSetup): Promise<void> {
    const defined = new Map(definitions.map((definition) => [definition.name, definition]));
    const gone = [...this.services.keys()].filter((name) => !defined.has(name));
    await Promise.all(gone.map((name) => this.endOne(name)));
    for (const [name, definition] of defined) {
      const running = this.services.get(name);
      if (running === undefined) this.begin(definition);
      else await running.reload(definition, setup);
    }
    this.options.onChange();
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

  private begin(definition: ServiceDefinition): void {
    const service = new SupervisedService(definition, this.options);
    this.services.set(definition.name, service);
    service.start();
  }

  private async endOne(name: string): Promise<void> {
    const service = this.services.get(name);
    await service?.drain();
    await service?.stop();
    this.services.delete(name);
  }
}

/**
 * One service through all its lives: started, restarted after a failure and a delay, reloaded, drained,
 * stopped. It never throws an error of the service.
 */
class SupervisedService {
  private readonly options: SupervisorOptions;
  private readonly log: Logger;
  private definition: ServiceDefinition;
  private service: Service | undefined;
  /** Ends this life: to restart with another configuration, or to stop. */
  private order: Deferred<true> = deferred();
  /** Once draining, it is not restarted. */
  private isEnding = false;
  /** What is wrong in this life although it keeps running. */
  private trouble: ServiceFailure | null = null;
  private lives: Promise<void> = Promise.resolve();
  private shown: ServiceSnapshot;

  constructor(definition: ServiceDefinition, options: SupervisorOptions) {
    this.definition = definition;
    this.options = options;
    this.log = options.log.child({ service: definition.name });
    this.shown = {
      name: definition.name,
      state: 'starting',
      sinceMs: options.clock.now(),
      event: null,
      eventMs: null,
      restarts: 0,
      failure: null,
      retryMs: null,
    };
  }

  get snapshot(): ServiceSnapshot {
    return this.shown;
  }

  /** The result is in the snapshot. */
  start(): void {
    this.lives = this.liveOn();
  }

  /** Applies another configuration: without a pause if possible, otherwise with a restart. */
  async reload(definition: ServiceDefinition, setup: ServeSetup): Promise<void> {
    this.definition = definition;
    if (this.isEnding) return;
    if (await this.takesOn(setup)) return;
    this.order.resolve(true);
  }

  /** Finishes the work in progress. */
  async drain(): Promise<void> {
    this.isEnding = true;
    this.enter('draining');
    try {
      await this.service?.drain();
    } catch (error) {
      this.log.error(faultFields(error), `could not finish its work: ${messageOf(error)}`);
    }
  }

  /** Stops permanently; resolves when everything is released. */
  async stop(): Promise<void> {
    this.isEnding = true;
    this.order.resolve(true);
    await this.lives;
    this.enter('stopped');
  }

  private async takesOn(setup: ServeSetup): Promise<boolean> {
    if (this.service === undefined) return false;
    try {
      return await this.service.reload(setup);
    } catch (error) {
      this.log.error(
        faultFields(error),
        `could not apply the new configuration: ${messageOf(error)}`,
      );
      return false;
    }
  }

  private async liveOn(): Promise<void> {
    const { firstMs, mostMs, calmMs } = this.options.backoff;
    for (let failures = 0; !this.isEnding; ) {
      this.order = deferred();
      const bornMs = performance.now();
      try {
        await this.live();
        failures = 0;
      } catch (error) {
        if (this.isEnding) return;
        failures = performance.now() - bornMs >= calmMs ? 1 : failures + 1;
        const isOrdered = await this.rest(error, backoffMs(failures, firstMs, mostMs));
        if (isOrdered) failures = 0;
        else this.show({ restarts: this.shown.restarts + 1 });
      }
    }
  }

  /** One life, from start to an order. @throws why the service failed */
  private async live(): Promise<void> {
    const broken = deferred<never>();
    const life = new AbortController();
    this.trouble = null;
    this.enter('starting');
    try {
      this.service = await this.definition.start(this.host(broken.reject, life.signal));
      const ordered = this.order.promise;
      const isOrdered = await Promise.race([this.service.ready, broken.promise, ordered]);
      if (isOrdered === true) return;
      if (!this.isEnding) this.enter('ready');
      await Promise.race([broken.promise, ordered]);
    } finally {
      life.abort();
      await this.letGo();
    }
  }

  private async letGo(): Promise<void> {
    const { service } = this;
    this.service = undefined;
    try {
      await service?.stop();
    } catch (error) {
      this.log.error(faultFields(error), `could not be stopped cleanly: ${messageOf(error)}`);
    }
  }

  /** Waits for the next start. @returns true for an earlier order */
  private async rest(error: unknown, ms: number): Promise<boolean> {
    const failure = serviceFailure(error);
    this.log.error({ ...faultFields(error), retryInMs: ms }, `failed: ${failure.message}`);
    this.enter('waiting', { failure, retryMs: this.options.clock.now() + ms });
    const woken = new AbortController();
    const slept = sleep(ms, false, { signal: woken.signal }).catch(() => false);
    try {
      return await Promise.race([slept, this.order.promise]);
    } finally {
      woken.abort();
    }
  }

  /** Ignores what a past life still reports. */
  private host(fail: (error: unknown) => void, over: AbortSignal): ServiceHost {
    return {
      log: this.log,
      fail,
      tell: (event) => {
        if (!over.aborted) this.show({ event, eventMs: this.options.clock.now() });
      },
      trouble: (failure) => {
        if (over.aborted) return;
        this.trouble = failure ?? null;
        if (this.shown.state !== 'starting') this.show({ failure: this.trouble });
      },
    };
  }

  private enter(
    state: ServiceState,
    more: { readonly failure?: ServiceFailure; readonly retryMs?: number } = {},
  ): void {
    if (state !== this.shown.state) this.log.debug({ state }, state);
    // The last failure stays visible while a restart is tried.
    const known = state === 'starting' ? this.shown.failure : this.trouble;
    const { failure = known, retryMs = null } = more;
    const sinceMs = state === this.shown.state ? this.shown.sinceMs : this.options.clock.now();
    this.show({ state, sinceMs, failure, retryMs });
  }

  private show(part: Partial<ServiceSnapshot>): void {
    this.shown = { ...this.shown, ...part };
    this.options.onChange();
  }
}

/** Delays before restarts. */
export interface Backoff {
  /** Before the first restart; doubles with each failure in a row. */
  readonly firstMs: number;
  readonly mostMs: number;
  /** After working this long, a failure counts as the first one. */
  readonly calmMs: number;
}

export const SERVICE_BACKOFF: Backoff = { firstMs: 1000, mostMs: 60_000, calmMs: 120_000 };
