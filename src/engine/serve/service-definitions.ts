import type { Readiness } from './readiness.js';
import type { ServeSetup, ServiceDefinition, ServiceSwitch } from './service.js';
import { dreamDefinitions } from './services/dream-service.js';
import { flowsDefinition, hasFlows } from './services/flows-service.js';
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
  { without, readiness, onWebhooks }: DefinitionOptions,
): readonly ServiceDefinition[] {
  const isWanted = (name: ServiceSwitch): boolean => !without.includes(name);
  const health = isWanted('health') ? readiness : undefined;
  return [
    ...listenerDefinitions(setup, isWanted('webhooks'), health, onWebhooks),
    ...(isWanted('storage') ? storageDefinitions(setup) : []),
    ...(isWanted('memory') ? memoryDefinitions(setup) : []),
    ...(isWanted('refresh') ? refreshDefinitions(setup) : []),
    ...(isWanted('dreaming') ? dreamDefinitions(setup) : []),
    ...(isWanted('flows') && hasFlows(setup) ? [flowsDefinition(setup)] : []),
    ...(isWanted('schedules') ? scheduleDefinitions(setup) : []),
    ...(isWanted('tasks') && hasRuntimes(setup) ? [tasksDefinition(setup)] : []),
  ];
}

/** The webhook listener also answers health checks; without it a separate listener does. */
function listenerDefinitions(
  setup: ServeSetup,
  wantsWebhooks: boolean,
  health: (() => Readiness) | undefined,
  onWebhooks: ObserveWebhooks | undefined,
): readonly ServiceDefinition[] {
  if (wantsWebhooks && hasWebhooks(setup)) {
    return [webhooksDefinition(setup, { readiness: health, onWebhooks })];
  }
  return health === undefined ? [] : [healthDefinition(setup, health)];
}
