import { SvcError } from '../../errors/index.js';
import {
  type RegisteredCapture,
  type RegisteredHook,
  type RegisteredServer,
  registeredCaptures,
  registeredHooks,
  registeredServers,
} from '../../integrate/index.js';
import { configuredPrograms } from '../../task-runner/runner-settings.js';
import { configuredCheck, type Finding, finding } from '../check.js';

/** Whether the programs for tasks and notifications can be started. */
export const tasks = configuredCheck('tasks', async ({ context, loaded, placeOf }) => {
  const programs = configuredPrograms(context, loaded);
  const findings = programs.map(({ path, found }) => {
    if (!(found instanceof SvcError)) return undefined;
    const place = placeOf(path);
    return finding('program-missing', 'fault', {
      message: `${path.slice(0, -1).join('.')}: ${found.message}`,
      place,
      hint: found.hint,
    });
  });
  const names = programs.flatMap(({ found }) => (typeof found === 'string' ? [found] : []));
  const off = programs.length === 0;
  return { summary: off ? 'none configured' : names.join(', ') || 'not found', findings, off };
});

/** Whether coding agents can start the servers that svc registered with them. */
export const integrations = configuredCheck(
  'integrations',
  async ({ context, host: { platform } }) => {
    const servers = await registeredServers({ ...context, platform });
    if (servers.length === 0) return { summary: 'none registered', findings: [], off: true };
    return { summary: titlesOf(servers), findings: servers.map(serverFinding) };
  },
);

function serverFinding({ title, file, moved }: RegisteredServer): Finding | undefined {
  if (moved === undefined) return undefined;
  const { name, missing, hint } = moved;
  return finding('server-moved', 'warning', {
    message: `${title} cannot start the server ${name}: ${missing}, named in its entry, does not exist`,
    place: { file },
    hint,
  });
}

function titlesOf(registered: readonly { readonly title: string }[]): string {
  return [...new Set(registered.map(({ title }) => title))].join(', ');
}

/** Whether the active memory hooks of coding agents recall anything, and their capture hooks can run. */
export const hooks = configuredCheck('hooks', async ({ context, host: { platform } }) => {
  const world = { ...context, platform };
  const recalls = await registeredHooks(world);
  const captures = await registeredCaptures(world);
  if (recalls.length + captures.length === 0) {
    return { summary: 'none registered', findings: [], off: true };
  }
  return {
    summary: titlesOf([...recalls, ...captures]),
    findings: [...recalls.map(recallFinding), ...captures.map(captureFinding)],
  };
});

function recallFinding({ title, file, effect }: RegisteredHook): Finding | undefined {
  if (effect.recalls) return undefined;
  const message = `${title} runs svc before each turn, but nothing is recalled: ${effect.why}`;
  return finding('hook-recalls-nothing', 'warning', {
    message,
    place: { file },
    hint: effect.hint ?? '"svc memory recall --explain" shows which check fails',
  });
}

function captureFinding({ title, file, moved, last }: RegisteredCapture): Finding | undefined {
  if (moved === undefined) {
    if (last === undefined || last.error === null) return undefined;
    return finding('capture-failed', 'warning', {
      message: `the last capture from ${title} failed: ${last.error}`,
      place: { file },
      hint: 'logs/capture.log in the state folder has earlier errors and the commands that repeat them; the next capture clears this',
    });
  }
  return finding('hook-captures-nothing', 'warning', {
    message: `${title} captures nothing: ${moved.missing}, named in its hook, does not exist`,
    place: { file },
    hint: moved.hint,
  });
}
