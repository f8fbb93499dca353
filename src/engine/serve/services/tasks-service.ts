import { isDeepStrictEqual } from 'node:util';
import { faultFields, messageOf } from '../../errors/index.js';
import { notificationTargets, opensSameFlows } from '../../flows/index.js';
import { formatCountOf } from '../../support/format.js';
import { missingProgram } from '../../task-runner/runner-settings.js';
import type { TaskRunner } from '../../task-runner/task-runner.js';
import {
  hasSameConfig,
  type ServeSetup,
  type Service,
  type ServiceDefinition,
  type ServiceHost,
  serviceFailure,
} from '../service.js';
import type { ServiceFailure } from '../state-file.js';

export function hasRuntimes({ loaded }: ServeSetup): boolean {
  return Object.keys(loaded.resolved.flows.runtimes).length > 0;
}

/** The service that runs queued tasks. */
export function tasksDefinition(setup: ServeSetup): ServiceDefinition {
  return { name: 'tasks', start: (host) => start(setup, host) };
}

/** How often programs are looked up: one that is missing can be installed, or the other way around. */
const LOOK_UP_MS = 10_000;

async function start(first: ServeSetup, host: ServiceHost): Promise<Service> {
  let setup = first;
  let current = await open(setup, host);
  /** Of former configurations; their tasks finish with the old settings. */
  const retiring = new Set<TaskRunner>();
  const retire = (old: TaskRunner): void => {
    retiring.add(old);
    void old
      .drain()
      .then(() => old.close())
      .finally(() => retiring.delete(old));
  };
  const timer = setInterval(() => current.checkPrograms(), LOOK_UP_MS).unref();
  const allRunners = (): readonly TaskRunner[] => [current.runner, ...retiring];
  const drain = async (): Promise<void> => {
    const patienceMs = setup.loaded.resolved.gateway.drainSeconds * 1000;
    await Promise.all(allRunners().map((runner) => runner.drain(patienceMs)));
  };
  return {
    reload: async (next) => {
      // Workspaces are the working directories of tasks.
      if (keepsSameFlows(setup, next) && hasSameConfig(setup, next, ['agents'])) {
        setup = next;
        current.checkPrograms();
        // A former reload may have failed.
        current.showProblem();
        return true;
      }
      try {
        const opened = await open(next, host);
        retire(current.runner);
        current = opened;
        setup = next;
      } catch (error) {
        if (!hasSameConfig(setup, next, ['storage', 'secrets'])) {
          // New tasks are in another store, and wait until it can be opened.
          await drain();
          return false;
        }
        const message = `not reloaded, the old runtimes stay in effect: ${messageOf(error)}`;
        host.setProblem({ ...serviceFailure(error), message });
        host.log.error(faultFields(error), message);
      }
      return true;
    },
    drain,
    stop: async () => {
      clearInterval(timer);
      await Promise.all(allRunners().map((runner) => runner.close()));
    },
  };
}

async function open({ context, loaded }: ServeSetup, host: ServiceHost) {
  const { openRunner } = await import('../../task-runner/task-runner.js');
  const { log, setLastEvent, setProblem } = host;
  let storeFailure: ServiceFailure | undefined;
  let programFailure: ServiceFailure | undefined;
  const showProblem = (): void => setProblem(storeFailure ?? programFailure);
  const checkPrograms = (): void => {
    const missing = missingProgram(context, loaded);
    if (missing?.message === programFailure?.message) return;
    programFailure = missing && serviceFailure(missing);
    if (missing !== undefined) log.warn({ hint: missing.hint }, missing.message);
    showProblem();
  };
  checkPrograms();
  showProblem();
  const runner = await openRunner({
    context,
    loaded,
    log,
    onChange: (running) =>
      setLastEvent(running === 0 ? 'idle' : `running ${formatCountOf(running, 'task')}`),
    onProblem: (error) => {
      storeFailure = error === undefined ? undefined : serviceFailure(error);
      showProblem();
    },
  });
  setLastEvent('waiting for tasks');
  return { runner, checkPrograms, showProblem };
}

/** Compares where and how flows are kept, and receivers of their notifications. */
export function keepsSameFlows(setup: ServeSetup, next: ServeSetup): boolean {
  const [targets, nextTargets] = [setup, next].map(({ loaded }) =>
    notificationTargets(loaded.resolved),
  );
  return (
    setup.loaded.file === next.loaded.file &&
    opensSameFlows(setup.loaded.resolved, next.loaded.resolved) &&
    isDeepStrictEqual(targets, nextTargets)
  );
}
