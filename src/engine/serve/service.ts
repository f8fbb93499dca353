import type { Logger } from 'pino';
import type { LoadedConfig } from '../config/index.js';
import type { EngineContext } from '../context.js';
import type { ServiceFailure } from './service-failure.js';

/** The families of services that can be left out with `--without`. */
export const SERVICE_SWITCHES = [
  'health',
  'memory',
  'refresh',
  'webhooks',
  'dreaming',
  'flows',
  'tasks',
] as const;

/**
 * A family of services: the health listener, the memories of all agents, their refresh at the start, the webhook listener, their
 * consolidation, the upkeep and notifications of flows, the runner of their tasks.
 */
export type ServiceSwitch = (typeof SERVICE_SWITCHES)[number];

/** What services are made from: one configuration that is valid as a whole. */
export interface ServeSetup {
  readonly context: EngineContext;
  readonly loaded: LoadedConfig;
  /** How svc itself is run, node first; undefined where nobody can tell. */
  readonly program?: readonly [string, ...string[]] | undefined;
}

/** What a service is given by the process that runs it. */
export interface ServiceHost {
  /** Every line carries the name of the service. */
  readonly log: Logger;
  /** Says in a few words what happened last, for the screen and `svc status`; never a secret. */
  readonly tell: (event: string) => void;
  /** Says what is wrong although the service goes on; undefined when it is well again. */
  readonly trouble: (failure: ServiceFailure | undefined) => void;
  /** The service broke down by itself: it is stopped and started again. */
  readonly fail: (error: unknown) => void;
}

/** A service as a configuration wants it; one that is not wanted has no definition. */
export interface ServiceDefinition {
  /** Unique; `health`, `memory:main`. */
  readonly name: string;
  readonly switch: ServiceSwitch;
  /** Begins to work. Throws when it cannot; it is tried again later then. */
  readonly start: (host: ServiceHost) => Promise<Service>;
}

/**
 * One part of the long-lived process, from its start to its end. Each method is called by the
 * supervisor alone, and never two of them at once.
 */
export interface Service {
  /** Settles once it does what it is for; rejects when it will not come to that. */
  readonly ready: Promise<void>;
  /**
   * Takes on another configuration without a pause.
   *
   * @returns false when it cannot; it is stopped and started anew then
   */
  reload(setup: ServeSetup): Promise<boolean>;
  /** Takes no new work and ends what is under way; other services still run meanwhile. */
  drain(): Promise<void>;
  /** Lets go of everything, at once; also called after a failure, and when draining took too long. */
  stop(): Promise<void>;
}
