import { failureLogger } from '../../errors/index.js';
import { type Flows, notificationTargets, openFlowsToServe } from '../../flows/index.js';
import {
  hasSameConfig,
  type ServeSetup,
  type Service,
  type ServiceDefinition,
  type ServiceHost,
  serviceFailure,
  watchWrites,
} from '../service.js';
import type { ServiceFailure } from '../state-file.js';
import { hasSchedules } from './schedule-service.js';
import { hasRuntimes, keepsSameFlows } from './tasks-service.js';
import { hasWebhooks } from './webhooks-service.js';

const FIRST_SWEEP_MS = 5000;
const SWEEP_MS = 60_000;

/** The flows that the service has open, for metrics and screens. */
export interface OpenedFlows {
  current: Flows | undefined;
}

export function hasFlows(setup: ServeSetup): boolean {
  const targets = notificationTargets(setup.loaded.resolved);
  return hasWebhooks(setup) || hasRuntimes(setup) || hasSchedules(setup) || targets.length > 0;
}

/** The service that cleans up flows and delivers their notifications. */
export function flowsDefinition(setup: ServeSetup, opened: OpenedFlows): ServiceDefinition {
  return { name: 'flows', start: (host) => start(setup, opened, host) };
}

async function start(setup: ServeSetup, opened: OpenedFlows, host: ServiceHost): Promise<Service> {
  const { context, loaded } = setup;
  const { openDelivery } = await import('../../task-runner/delivery/open-delivery.js');
  const { log, signal } = host;
  const flows = await openFlowsToServe(context, loaded.resolved);
  const watched = watchWrites(flows.writes, host);
  const delivery = await openDelivery({
    flows,
    context,
    loaded,
    log,
    onProblem: (error) =>
      watched.setProblem(error === undefined ? undefined : deliveryFailure(error)),
    signal,
  });
  opened.current = flows;
  let sweeping: Promise<void> | undefined;
  const logFailure = failureLogger(log, 'cleanup failed');
  const sweep = async (): Promise<void> => {
    try {
      const report = await flows.operator.sweep();
      logFailure(undefined);
      const isNews = Object.values(report).some((count) => count > 0);
      if (isNews) log.info(report, 'cleaned up');
    } catch (error) {
      logFailure(error);
    }
  };
  const startSweep = (): void => {
    sweeping ??= sweep().finally(() => {
      sweeping = undefined;
    });
  };
  const timers = [setTimeout(startSweep, FIRST_SWEEP_MS), setInterval(startSweep, SWEEP_MS)];
  return {
    reload: async (next) => {
      const isSame = keepsSameFlows(setup, next) && hasSameConfig(setup, next, ['secrets']);
      if (isSame && (await delivery?.hasCurrentSecrets()) !== false) return true;
      await delivery?.drain();
      return false;
    },
    drain: async () => delivery?.drain(),
    stop: async () => {
      opened.current = undefined;
      for (const timer of timers) clearTimeout(timer);
      await sweeping;
      watched.stop();
      await delivery?.close();
      await flows.close();
    },
  };
}

/** The reason alone does not show that notifications are affected. */
function deliveryFailure(error: unknown): ServiceFailure {
  const { code, message, hint } = serviceFailure(error);
  return {
    code,
    message: `notifications cannot be delivered: ${message}`,
    hint: hint ?? 'run "svc notification list" to see them, and check their receivers',
  };
}
