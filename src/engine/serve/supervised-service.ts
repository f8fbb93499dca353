import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../context.js';
import { type Backoff, restMs } from './backoff.js';
import { type Deferred, deferred } from './deferred.js';
import type { ServeSetup, Service, ServiceDefinition, ServiceHost } from './service.js';
import { type ServiceFailure, serviceFailure } from './service-failure.js';
import type { ServiceSnapshot, ServiceState } from './service-snapshot.js';

/** What a supervised service needs of the process around it. */
export interface SupervisionOptions {
  readonly clock: Clock;
  readonly backoff: Backoff;
  readonly log: Logger;
  /** Called after every change of a snapshot. */
  readonly onChange: () => void;
}

/** How one life of a service ended. */
type LifeEnd = { readonly type: 'failed'; readonly error: unknown } | { readonly type: Order };
/** What ends a life on purpose. */
type Order = 'restart' | 'stop';

/**
 * One service through all its lives: started, started again after a failure and a rest, changed by
 * a reload, drained, stopped. Made, started once, drained, stopped; no failure of the service comes
 * out of it.
 */
export class SupervisedService {
  private readonly options: SupervisionOptions;
  private readonly log: Logger;
  private definition: ServiceDefinition;
  private service: Service | undefined;
  private order: Deferred<Order> = deferred();
  /** What drains is not started again. */
  private isEnding = false;
  /** What this life says is wrong although it goes on. */
  private trouble: ServiceFailure | null = null;
  private lives: Promise<void> = Promise.resolve();
  private shown: ServiceSnapshot;

  constructor(definition: ServiceDefinition, options: SupervisionOptions) {
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

  /** Begins; what comes of it is in the snapshot. */
  start(): void {
    this.lives = this.liveOn();
  }

  /** Goes on under another configuration: as it runs where it can, else with a new start. */
  async reload(definition: ServiceDefinition, setup: ServeSetup): Promise<void> {
    this.definition = definition;
    if (this.isEnding) return;
    if (await this.takesOn(setup)) return;
    this.order.resolve('restart');
  }

  /** Ends the work under way; resolves when that is done. */
  async drain(): Promise<void> {
    this.isEnding = true;
    this.enter('draining');
    try {
      await this.service?.drain();
    } catch (error) {
      this.log.error({ err: error }, 'could not end its work in order');
    }
  }

  /** Stops for good; resolves when everything is let go of. */
  async stop(): Promise<void> {
    this.isEnding = true;
    this.order.resolve('stop');
    await this.lives;
    this.enter('stopped');
  }

  private async takesOn(setup: ServeSetup): Promise<boolean> {
    if (this.service === undefined) return false;
    try {
      return await this.service.reload(setup);
    } catch (error) {
      this.log.error({ err: error }, 'could not take on the new configuration');
      return false;
    }
  }

  private async liveOn(): Promise<void> {
    const { backoff } = this.options;
    for (let failures = 0; !this.isEnding; ) {
      this.order = deferred();
      const bornMs = performance.now();
      const end = await this.live();
      if (this.isEnding) return;
      if (end.type === 'failed') {
        failures = performance.now() - bornMs >= backoff.calmMs ? 1 : failures + 1;
        const then = await this.rest(end.error, restMs(failures, backoff));
        if (then === 'again') this.show({ restarts: this.shown.restarts + 1 });
        else failures = 0;
      } else failures = 0;
    }
  }

  /** One life, from start to stop. */
  private async live(): Promise<LifeEnd> {
    const broken = deferred<never>();
    const life = new AbortController();
    this.trouble = null;
    this.enter('starting');
    try {
      this.service = await this.definition.start(this.host(broken.reject, life.signal));
      const ordered = this.order.promise;
      const early = await Promise.race([this.service.ready, broken.promise, ordered]);
      if (early !== undefined) return { type: early };
      if (!this.isEnding) this.enter('ready');
      return { type: await Promise.race([broken.promise, ordered]) };
    } catch (error) {
      return { type: 'failed', error };
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
      this.log.error({ err: error }, 'could not be stopped in order');
    }
  }

  /** Waits for the time of the next start, or an order that comes before it. */
  private async rest(error: unknown, ms: number): Promise<Order | 'again'> {
    const failure = serviceFailure(error);
    this.log.error({ err: error, retryInMs: ms }, `failed: ${failure.message}`);
    this.enter('waiting', { failure, retryMs: this.options.clock.now() + ms });
    const woken = new AbortController();
    const again = sleep(ms, undefined, { signal: woken.signal }).then(
      () => 'again' as const,
      () => 'again' as const,
    );
    try {
      return await Promise.race([again, this.order.promise]);
    } finally {
      woken.abort();
    }
  }

  /** What a life that is over still says does not count. */
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
    // What went wrong last stays to be seen while a new start is tried.
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
