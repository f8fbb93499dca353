import { openFlows } from '../../flows/index.js';
import type { ServeSetup, Service, ServiceDefinition, ServiceHost } from '../service.js';
import { serviceFailure } from '../service-failure.js';
import { agreeIn } from './agree-in.js';
import { hasRuntimes } from './tasks-service.js';
import { hasWebhooks } from './webhooks-service.js';

const FIRST_SWEEP_MS = 5000;
const SWEEP_MS = 60_000;

/** Whether a configuration makes any use of flows. */
export function hasFlows(setup: ServeSetup): boolean {
  const { command, url } = setup.loaded.resolved.flows.notify;
  return hasWebhooks(setup) || hasRuntimes(setup) || command !== undefined || url !== undefined;
}

/** The service that keeps flows tidy and delivers their notifications. */
export function flowsDefinition(setup: ServeSetup): ServiceDefinition {
  return { name: 'flows', switch: 'flows', start: (host) => start(setup, host) };
}

async function start(setup: ServeSetup, host: ServiceHost): Promise<Service> {
  const { context, loaded } = setup;
  const { openDelivery } = await import('../../task-runner/delivery/open-delivery.js');
  const { log, trouble } = host;
  const flows = openFlows(context, loaded.resolved);
  const onTrouble = (error: string | undefined): void =>
    trouble(error === undefined ? undefined : { code: null, message: error, mend: null });
  const delivery = await openDelivery({
    flows,
    context,
    loaded,
    log,
    nodePath: process.execPath,
    onTrouble,
  }).catch(async (error: unknown) => {
    await flows.close();
    throw error;
  });
  let sweeping: Promise<void> | undefined;
  const sweep = async (): Promise<void> => {
    try {
      const report = await flows.operator.sweep();
      const isNews = Object.values(report).some((count) => count > 0);
      if (isNews) log.info(report, 'tidied up');
    } catch (error) {
      log.error({ err: error }, `could not tidy up: ${serviceFailure(error).message}`);
    }
  };
  const begin = (): void => {
    sweeping ??= sweep().finally(() => {
      sweeping = undefined;
    });
  };
  const timers = [setTimeout(begin, FIRST_SWEEP_MS), setInterval(begin, SWEEP_MS)];
  return {
    ready: Promise.resolve(),
    reload: async (next) => {
      if (isSame(setup, next)) return true;
      await delivery?.drain();
      return false;
    },
    drain: async () => delivery?.drain(),
    stop: async () => {
      for (const timer of timers) clearTimeout(timer);
      await sweeping;
      await delivery?.close();
      await flows.close();
    },
  };
}

/** How long things are kept, where notifications go, and how their key is read. */
function isSame(setup: ServeSetup, next: ServeSetup): boolean {
  return setup.loaded.file === next.loaded.file && agreeIn(setup, next, ['flows', 'secrets']);
}
