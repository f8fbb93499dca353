import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import {
  type ListenAddress,
  type LoadedConfig,
  type ResolvedAgent,
  type ResolvedConfig,
  searchedAgents,
} from '../config/index.js';
import { asSvcError, messageOf, systemErrorCode, type Warning } from '../errors/index.js';
import type { Flows } from '../flows/index.js';
import type { SecretMask } from '../masking/index.js';
import type { OpenedMemory } from '../memory/index.js';
import type { WorkOptions } from '../memory/sync/index.js';
import type { EngineContext } from '../support/context.js';
import { formatCountOf } from '../support/format.js';
import type { ServiceFailure } from './state-file.js';

/** Kinds of services, as named by `--without`. */
export const SERVICE_SWITCHES = [
  'health',
  'storage',
  'memory',
  'refresh',
  'webhooks',
  'dreaming',
  'flows',
  'schedules',
  'tasks',
] as const;

export type ServiceSwitch = (typeof SERVICE_SWITCHES)[number];

/** What services are created from: one valid configuration. */
export interface ServeSetup {
  readonly context: EngineContext;
  readonly loaded: LoadedConfig;
  /** Masks everything that is logged, stored or shown. */
  readonly mask: Pick<SecretMask, 'data' | 'text'>;
  /** Does what a killed `svc memory forget` left to do; see cli/memory-stores.ts. */
  readonly completeForgetting?:
    | ((memory: OpenedMemory, work: WorkOptions) => Promise<readonly Warning[]>)
    | undefined;
  /** The words that start svc; undefined if unknown. */
  readonly program?: readonly [string, ...string[]] | undefined;
}

/** What the process offers a service. */
export interface ServiceHost {
  /** Every line has the name of the service. */
  readonly log: Logger;
  /** Sets the last event, for the screen and `svc status`; never a secret. */
  readonly setLastEvent: (event: string) => void;
  /** Sets what is wrong although the service keeps running; undefined when it is resolved. */
  readonly setProblem: (failure: ServiceFailure | undefined) => void;
  /** Reports that the service failed: it is stopped and restarted. */
  readonly fail: (error: unknown) => void;
  /** Aborted once it is not needed any more: what it starts or reloads with can be given up. */
  readonly signal: AbortSignal;
}

/** A service that a configuration enables. */
export interface ServiceDefinition {
  /** Unique; `health`, `memory:main`. */
  readonly name: string;
  /** Where it listens. */
  readonly addresses?: readonly ListenAddress[];
  /** Starts it. If it throws, it is tried again later. */
  readonly start: (host: ServiceHost) => Promise<Service>;
}

/**
 * A running service. Only the supervisor calls its methods, one at a time.
 */
export interface Service {
  /** Where it listens. */
  readonly url?: string;
  /** Settles once it works, where that is later than its start; rejects if it never will. */
  readonly ready?: Promise<void>;
  /**
   * Applies another configuration without a pause.
   *
   * @returns false if it cannot, and has to be restarted
   */
  reload(setup: ServeSetup): Promise<boolean>;
  /** Accepts no new work and finishes what is in progress; other services are still running. */
  drain(): Promise<void>;
  /** Releases everything at once; also called after a failure, and when draining takes too long. */
  stop(): Promise<void>;
}

export function serviceFailure(error: unknown): ServiceFailure {
  const known = asSvcError(error);
  return {
    code: known?.code ?? systemErrorCode(error) ?? null,
    message: known?.message ?? messageOf(error),
    hint: known?.hint ?? null,
  };
}

/** Whether two setups have equal values in these parts of the configuration. */
export function hasSameConfig(
  { loaded: a }: ServeSetup,
  { loaded: b }: ServeSetup,
  parts: readonly (keyof ResolvedConfig)[],
): boolean {
  return parts.every((part) => isDeepStrictEqual(a.resolved[part], b.resolved[part]));
}

/** Whether a setup has an agent with equal settings. */
export function hasAgent({ loaded, context }: ServeSetup, agent: ResolvedAgent): boolean {
  const found = searchedAgents(loaded, context).find(({ id }) => id === agent.id);
  return isDeepStrictEqual(agent, found);
}

const PROBE_MS = 2000;

/**
 * Reports that changes of flows cannot be stored, and when they can again, which it finds out by trying. Another problem
 * of the service shows while they can.
 */
export function watchWrites(
  { subscribe, probe }: Flows['writes'],
  { setProblem: report, log }: Pick<ServiceHost, 'log' | 'setProblem'>,
) {
  let timer: NodeJS.Timeout | undefined;
  let isProbing = false;
  let storageFailure: ServiceFailure | undefined;
  let otherProblem: ServiceFailure | undefined;
  const unsubscribe = subscribe((failure) => {
    clearInterval(timer);
    const wasFailing = storageFailure !== undefined;
    if (wasFailing && failure === undefined) log.info('changes of flows can be stored again');
    storageFailure = failure === undefined ? undefined : serviceFailure(failure);
    report(storageFailure ?? otherProblem);
    if (failure === undefined) return;
    timer = setInterval(() => {
      if (isProbing) return;
      isProbing = true;
      void probe().finally(() => {
        isProbing = false;
      });
    }, PROBE_MS).unref();
  });
  return {
    /** Sets the other problem; undefined when it is resolved. */
    setProblem: (problem: ServiceFailure | undefined): void => {
      otherProblem = problem;
      report(storageFailure ?? otherProblem);
    },
    stop: (): void => {
      clearInterval(timer);
      unsubscribe();
    },
  };
}

/**
 * Keeps what is wrong with each part of a service, such as a schedule; the first failure becomes its problem.
 *
 * @param noun of a part
 * @returns takes the failure of a part, undefined when nothing is wrong with it any more, and returns it if it is
 * another one than before: what is tried again and again fails in the same way
 */
export function failureReporter({ setProblem }: Pick<ServiceHost, 'setProblem'>, noun: string) {
  const failures = new Map<string, ServiceFailure>();
  return (id: string, failure: ServiceFailure | undefined): ServiceFailure | undefined => {
    const before = failures.get(id);
    if (failure === undefined) failures.delete(id);
    else failures.set(id, failure);
    const [first] = failures.values();
    const count = formatCountOf(failures.size - 1, `more ${noun}`);
    const more = failures.size > 1 ? ` (and ${count})` : '';
    setProblem(first && { ...first, message: `${first.message}${more}` });
    return failure?.message === before?.message ? undefined : failure;
  };
}
