import { ChildGroup } from '../../child/child-group.js';
import { wholeEnvironment } from '../../child/program.js';
import { type ResolvedAgent, searchedAgents } from '../../config/index.js';
import { LONGEST_TIMER_MS } from '../../support/time.js';
import {
  hasAgent,
  hasSameConfig,
  type ServeSetup,
  type Service,
  type ServiceDefinition,
  type ServiceHost,
} from '../service.js';

/**
 * One refresh per agent whose memory is searched by an external program, when the process starts
 * (spec/memory-search §2.12): in a separate process, so that nothing here waits for it.
 */
export function refreshDefinitions(setup: ServeSetup): readonly ServiceDefinition[] {
  const { memory } = setup.loaded.resolved;
  const { program } = setup;
  if (memory.backend !== 'ext' || !memory.ext.update.onBoot || program === undefined) return [];
  return searchedAgents(setup.loaded, setup.context).map((agent) => ({
    name: `refresh:${agent.id}`,
    start: (host) => refreshOnce(agent, program, setup, host),
  }));
}

/** How many steps of the external program can each take their full time. */
const STEPS = 4;

async function refreshOnce(
  agent: ResolvedAgent,
  program: readonly [string, ...string[]],
  setup: ServeSetup,
  host: ServiceHost,
): Promise<Service> {
  const { context, loaded } = setup;
  const { updateTimeoutMs, embedTimeoutMs } = loaded.resolved.memory.ext.update;
  // A discovered configuration is found again from the same folder; naming it would imply trust.
  const isFound = loaded.file === undefined || loaded.ignoredKeys !== undefined;
  const config = isFound ? [] : ['--config', loaded.file];
  const [node, ...script] = program;
  const child = new ChildGroup({
    command: [node, ...script, 'memory', 'index', '--agent', agent.id, '--quiet', ...config],
    // It loads the same configuration, including secrets in variables.
    env: wholeEnvironment(context.env),
    cwd: context.cwd,
  });
  child.stdin.end();
  child.stdout.resume();
  child.stderr.resume();
  const patienceMs = Math.min(STEPS * updateTimeoutMs + embedTimeoutMs, LONGEST_TIMER_MS);
  const timer = setTimeout(() => child.stop(), patienceMs);
  host.setLastEvent('refreshing');
  let isStopped = false;
  let hasFailed = false;
  const ended = child.ended.then((end) => {
    clearTimeout(timer);
    if (isStopped) return;
    const isDone = end.kind === 'exited' && end.exitCode === 0;
    host.setLastEvent(isDone ? 'refreshed' : 'not refreshed');
    if (isDone) host.log.info('refreshed');
    else {
      hasFailed = true;
      const hint = `run "svc memory index --agent ${agent.id}"`;
      const message = 'the refresh at the start failed';
      host.setProblem({ code: null, message, hint });
      host.log.warn({ end, hint }, message);
    }
  });
  const stop = async (): Promise<void> => {
    isStopped = true;
    child.stop();
    await ended;
  };
  return {
    // Runs at the start, and again for changed collections, or where it failed.
    reload: async (next) =>
      !hasFailed && hasAgent(next, agent) && hasSameConfig(setup, next, ['memory']),
    drain: stop,
    stop,
  };
}
