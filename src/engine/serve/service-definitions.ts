import type { Readiness } from './readiness.js';
import type { ServeSetup, ServiceDefinition, ServiceSwitch } from './service.js';
import { dreamDefinitions } from './services/dream-service.js';
import { flowsDefinition, hasFlows, type OpenedFlows } from './services/flows-service.js';
import { healthDefinition } from './services/health-service.js';
import { memoryDefinitions } from './services/memory-service.js';
import { refreshDefinitions } from './services/refresh-service.js';
import { scheduleDefinitions } from './services/schedule-service.js';
import { storageDefinitions } from './services/storage-service.js';
import { hasRuntimes, tasksDefinition } from './services/tasks-service.js';
import {
  hasWebhooks,
  type ObserveWebhooks,
  webhooksDefinition,
} from './services/webhooks-service.js';

interface DefinitionOptions {
  /** Kinds of services to leave out. */
  readonly without: readonly ServiceSwitch[];
  readonly readiness: () => Readiness;
  /** Set by the flows service, for metrics and screens. */
  readonly flows: OpenedFlows;
  /** Called with each new webhook listener. */
  readonly onWebhooks?: ObserveWebhooks | undefined;
}

/**
 * Every service that a configuration enables, in the order of their start. They are stopped in reverse order,
 * so that the one that reports on the others comes first: the webhook listener if there is one, because both
 * have one address and can share a port.
 *
 * @throws SvcError CONFIG_INVALID for an agent that cannot be resolved
 */
export function serviceDefinitions(
  setup: ServeSetup,
  options: DefinitionOptions,
): readonly ServiceDefinition[] {
  const { without, flows } = options;
  const isWanted = (name: ServiceSwitch): boolean => !without.includes(name);
  return [
    ...listenerDefinitions(setup, isWanted, options),
    ...(isWanted('storage') ? storageDefinitions(setup) : []),
    ...(isWanted('memory') ? memoryDefinitions(setup) : []),
    ...(isWanted('refresh') ? refreshDefinitions(setup) : []),
    ...(isWanted('dreaming') ? dreamDefinitions(setup) : []),
    ...(isWanted('flows') && hasFlows(setup) ? [flowsDefinition(setup, flows)] : []),
    ...(isWanted('schedules') ? scheduleDefinitions(setup) : []),
    ...(isWanted('tasks') && hasRuntimes(setup) ? [tasksDefinition(setup)] : []),
  ];
}

/** The webhook listener also answers health checks; without it a separate listener does. */
function listenerDefinitions(
  setup: ServeSetup,
  isWanted: (name: ServiceSwitch) => boolean,
  { readiness, flows, onWebhooks }: DefinitionOptions,
): readonly ServiceDefinition[] {
  const hasHealth = isWanted('health');
  if (isWanted('webhooks') && hasWebhooks(setup)) {
    return [
      webhooksDefinition(setup, { readiness: hasHealth ? readiness : undefined, onWebhooks }),
    ];
  }
  if (!hasHealth) return [];
  return [healthDefinition(setup, { readiness, flows: isWanted('flows') ? flows : undefined })];
}
