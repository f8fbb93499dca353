import type { Logger } from 'pino';
import type { Clock } from '../context.js';
import type { Backoff } from './backoff.js';
import type { ServeSetup, ServiceDefinition } from './service.js';
import type { ServiceSnapshot } from './service-snapshot.js';
import { SupervisedService } from './supervised-service.js';

/** What the supervisor needs of the process around it. */
export interface SupervisorOptions {
  readonly clock: Clock;
  readonly backoff: Backoff;
  readonly log: Logger;
  /** Called after every change of any service. */
  readonly onChange: () => void;
}

/** All services of the process. One that fails is none of the others' business. */
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

  /** Begins all of them; none is waited for. */
  start(definitions: readonly ServiceDefinition[]): void {
    for (const definition of definitions) this.begin(definition);
  }

  /** Ends services that are not wanted any more, begins new ones, and has the others take over. */
  async reload(definitions: readonly ServiceDefinition[], setup: ServeSetup): Promise<void> {
    const wanted = new Map(definitions.map((definition) => [definition.name, definition]));
    const gone = [...this.services.keys()].filter((name) => !wanted.has(name));
    await Promise.all(gone.map((name) => this.endOne(name)));
    for (const [name, definition] of wanted) {
      const running = this.services.get(name);
      if (running === undefined) this.begin(definition);
      else await running.reload(definition, setup);
    }
    this.options.onChange();
  }

  /**
   * Drains all of them side by side, then stops them, the first one last: it tells the outside how
   * the others are.
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
