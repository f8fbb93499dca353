import { isDeepStrictEqual } from 'node:util';
import { ChildGroup } from '../../child/child-group.js';
import { type ResolvedAgent, searchedAgents } from '../../config/index.js';
import type { ServeSetup, Service, ServiceDefinition, ServiceHost } from '../service.js';
import { agreeIn } from './agree-in.js';

/**
 * One refresh for each agent whose memory an external program searches, when the process starts
 * (spec/memory-search §2.12): in a process of its own, so that nothing here waits for it.
 */
export function refreshDefinitions(setup: ServeSetup): readonly ServiceDefinition[] {
  const { memory } = setup.loaded.resolved;
  const { program } = setup;
  if (memory.backend !== 'ext' || !memory.ext.update.onBoot || program === undefined) return [];
  return searchedAgents(setup.loaded, setup.context).map((agent) => ({
    name: `refresh:${agent.id}`,
    switch: 'refresh',
    start: (host) => refreshOnce(agent, program, setup, host),
  }));
}

/** Longer than the program may take for each of its steps, should they all take long. */
const STEPS = 4;

async function refreshOnce(
  agent: ResolvedAgent,
  program: readonly [string, ...string[]],
  setup: ServeSetup,
  host: ServiceHost,
): Promise<Service> {
  const { context, loaded } = setup;
  const { updateTimeoutMs, embedTimeoutMs } = loaded.resolved.memory.ext.update;
  const config = loaded.file === undefined ? [] : ['--config', loaded.file];
  const [node, ...script] = program;
  const child = new ChildGroup({
    command: [node, ...script, 'memory', 'index', '--agent', agent.id, '--quiet', ...config],
    // It reads the configuration as this process does, variables that hold secrets included.
    env: definedOf(context.env),
    cwd: context.cwd,
    mind: () => () => undefined,
  });
  child.stdin.end();
  child.stdout.resume();
  child.stderr.resume();
  const timer = setTimeout(() => child.stop(), STEPS * updateTimeoutMs + embedTimeoutMs);
  host.tell('refreshing');
  let isStopped = false;
  const ended = child.ended.then((end) => {
    clearTimeout(timer);
    if (isStopped) return;
    const isDone = end.kind === 'exited' && end.exitCode === 0;
    host.tell(isDone ? 'refreshed' : 'not refreshed');
    if (isDone) host.log.info('refreshed');
    else {
      const mend = `svc memory index --agent ${agent.id}`;
      const message = 'the refresh at the start did not end well';
      host.trouble({ code: null, message, mend });
      host.log.warn({ end, mend }, message);
    }
  });
  const stop = async (): Promise<void> => {
    isStopped = true;
    child.stop();
    await ended;
  };
  return {
    ready: Promise.resolve(),
    // Once is at the start, and again for other collections.
    reload: async (next) => isSame(setup, next, agent),
    drain: stop,
    stop,
  };
}

function isSame(setup: ServeSetup, next: ServeSetup, agent: ResolvedAgent): boolean {
  const again = searchedAgents(next.loaded, next.context).find(({ id }) => id === agent.id);
  return isDeepStrictEqual(agent, again) && agreeIn(setup, next, ['memory']);
}

function definedOf(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
