import type { Readiness } from './readiness.js';
import type { ServeSetup, ServiceDefinition, ServiceSwitch } from './service.js';
import { dreamDefinitions } from './services/dream-service.js';
import { flowsDefinition, hasFlows } from './services/flows-service.js';
import { healthDefinition } from './services/health-service.js';
import { memoryDefinitions } from './services/memory-service.js';
import { refreshDefinitions } from './services/refresh-service.js';
import { hasRuntimes, tasksDefinition } from './services/tasks-service.js';
import {
  hasWebhooks,
  type ObserveWebhooks,
  webhooksDefinition,
} from './services/webhooks-service.js';

/** What is known of the process besides its configuration. */
export interface DefinitionOptions {
  /** Switches of services that this process is to leave out. */
  readonly without: readonly ServiceSwitch[];
  readonly readiness: () => Readiness;
  /** Told of the webhook listener whenever there is another one. */
  readonly onWebhooks?: ObserveWebhooks | undefined;
}

/**
 * Every service that a configuration wants, in the order they are started; they are stopped in the
 * other, so that the one that tells how the others are comes first. That is the webhook listener where
 * there is one: both have one address, and may share a port.
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
    ...(isWanted('memory') ? memoryDefinitions(setup) : []),
    ...(isWanted('refresh') ? refreshDefinitions(setup) : []),
    ...(isWanted('dreaming') ? dreamDefinitions(setup) : []),
    ...(isWanted('flows') && hasFlows(setup) ? [flowsDefinition(setup)] : []),
    ...(isWanted('tasks') && hasRuntimes(setup) ? [tasksDefinition(setup)] : []),
  ];
}

/** The webhook listener tells how the process is as well; without it a listener of its own does. */
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
