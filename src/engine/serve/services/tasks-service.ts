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

export function hasRuntimes({ loaded }: ServeSetup): boolean {
  return Object.keys(loaded.resolved.flows.runtimes).length > 0;
}

/** The service that runs queued tasks. */
export function tasksDefinition(setup: ServeSetup): ServiceDefinition {
  return { name: 'tasks', start: (host) => start(setup, host) };
}

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
  const allRunners = (): readonly TaskRunner[] => [current, ...retiring];
  const drain = async (): Promise<void> => {
    const patienceMs = setup.loaded.resolved.gateway.drainSeconds * 1000;
    await Promise.all(allRunners().map((runner) => runner.drain(patienceMs)));
  };
  return {
    reload: async (next) => {
      // Workspaces are the working directories of tasks.
      if (keepsSameFlows(setup, next) && hasSameConfig(setup, next, ['agents'])) {
        setup = next;
        return true;
      }
      try {
        const nextRunner = await open(next, host);
        retire(current);
        current = nextRunner;
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
      await Promise.all(allRunners().map((runner) => runner.close()));
    },
  };
}

async function open({ context, loaded }: ServeSetup, host: ServiceHost): Promise<TaskRunner> {
  const { openRunner } = await import('../../task-runner/task-runner.js');
  const { log, setLastEvent, setProblem } = host;
  const missing = missingProgram(context, loaded);
  const lastingFailure = missing === undefined ? undefined : serviceFailure(missing);
  setProblem(lastingFailure);
  if (missing !== undefined) log.warn({ hint: missing.hint }, missing.message);
  const runner = await openRunner({
    context,
    loaded,
    log,
    onChange: (running) =>
      setLastEvent(running === 0 ? 'idle' : `running ${formatCountOf(running, 'task')}`),
    onProblem: (error) => setProblem(error === undefined ? lastingFailure : serviceFailure(error)),
  });
  setLastEvent('waiting for tasks');
  return runner;
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
