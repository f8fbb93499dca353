import type { Readiness } from './readiness.js';
import type { ServeSetup, ServiceDefinition, ServiceSwitch } from './service.js';
import { dreamDefinitions } from './services/dream-service.js';
import { healthDefinition } from './services/health-service.js';
import { memoryDefinitions } from './services/memory-service.js';

/**
 * Every service that a configuration wants, in the order they are started; they are stopped in the
 * other. Later ones join here.
 *
 * @param without switches of those that this process is to leave out
 * @throws SvcError CONFIG_INVALID for an agent that cannot be resolved
 */
export function serviceDefinitions(
  setup: ServeSetup,
  without: readonly ServiceSwitch[],
  readiness: () => Readiness,
): readonly ServiceDefinition[] {
  const all = [
    healthDefinition(setup, readiness),
    ...memoryDefinitions(setup),
    ...dreamDefinitions(setup),
  ];
  return all.filter((definition) => !without.includes(definition.switch));
}
