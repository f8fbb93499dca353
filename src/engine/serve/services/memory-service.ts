import { isDeepStrictEqual } from 'node:util';
import { type ResolvedAgent, searchedAgents } from '../../config/index.js';
import type { ServeSetup, Service, ServiceDefinition, ServiceHost } from '../service.js';
import { agreeIn } from './agree-in.js';
import { freshMemory } from './fresh-memory.js';
import { watchTeller } from './watch-teller.js';

/** One service for each agent whose memory is searched. */
export function memoryDefinitions(setup: ServeSetup): readonly ServiceDefinition[] {
  return searchedAgents(setup.loaded, setup.context).map((agent) => ({
    name: nameOf(agent),
    switch: 'memory',
    start: (host) => keepFresh(agent, setup, host),
  }));
}

function nameOf(agent: ResolvedAgent): string {
  return `memory:${agent.id}`;
}

async function keepFresh(
  agent: ResolvedAgent,
  setup: ServeSetup,
  host: ServiceHost,
): Promise<Service> {
  const memory = await freshMemory(agent, setup, watchTeller(host));
  memory.watcher.ended.catch(host.fail);
  return {
    ready: memory.watcher.start(),
    reload: async (next) => isSame(setup, next, agent),
    drain: () => memory.watcher.close(),
    stop: async () => {
      await memory.watcher.close();
      await memory.close();
    },
  };
}

/**
 * Everything that a memory is opened with: its agent, the providers, how secrets are read, and the external
 * program where it is the one that searches.
 */
function isSame(setup: ServeSetup, next: ServeSetup, agent: ResolvedAgent): boolean {
  const again = searchedAgents(next.loaded, next.context).find(({ id }) => id === agent.id);
  return (
    isDeepStrictEqual(agent, again) &&
    agreeIn(setup, next, ['models', 'secrets']) &&
    (agent.backend === 'builtin' || agreeIn(setup, next, ['memory']))
  );
}
