import { loadConfig, resolveAgent } from '../config/index.js';
import { SvcError, type Warning } from '../errors/index.js';
import { typedPath } from '../support/context.js';
import { isFolder } from '../support/files.js';
import { leadsToLoopback } from '../support/network.js';
import { shellWord } from '../support/text.js';
import { type IntegrateContext, isDetected, isRemote, type RemoteServer } from './agent.js';
import { agentNamed } from './agents.js';
import { HOOK_PARTS } from './entry.js';
import { hookEffect, otherUsersOfHook, serversIn, targetOf } from './list.js';
import { type IntegrationPlan, type IntegrationRequest, planIntegration } from './plan.js';
import { isTemporary, type MemoryTarget, targetWords } from './program.js';

/** What a person asked for, with paths relative to the current folder. */
export interface RequestedIntegration
  extends Pick<IntegrationRequest, 'action' | 'capture' | 'name' | 'program' | 'scope'> {
  /** The id of the agent. */
  readonly agent: string;
  readonly target: MemoryTarget;
  /** A server to register instead of one that the agent starts, as it was written. */
  readonly remote?: RemoteServer | undefined;
  /** Whether the agent recalls memory before each turn. */
  readonly activeMemory: boolean;
}

/**
 * Plans what a person asked for; nothing is written. Warnings are about why the registration might fail.
 *
 * @throws SvcError USAGE, WORKSPACE_MISSING, AGENT_UNKNOWN, CONFIG_*, INTEGRATION_*
 */
export async function prepareIntegration(
  context: IntegrateContext,
  { agent: name, activeMemory, remote: typedRemote, ...requested }: RequestedIntegration,
): Promise<{ readonly plan: IntegrationPlan; readonly warnings: readonly Warning[] }> {
  const agent = agentNamed(name);
  const target = absoluteTarget(requested.target, context);
  const isAdding = requested.action === 'add';
  const missing =
    isAdding && typedRemote === undefined ? await requireTarget(context, target) : undefined;
  const hookTimeoutMs = activeMemory ? await recallTimeoutMs(context, target) : undefined;
  const remote = typedRemote === undefined ? undefined : validRemote(typedRemote);
  const plan = planIntegration(context, { ...requested, agent, target, remote, hookTimeoutMs });
  if (!isAdding) return { plan, warnings: [] };
  const warnings = missing === undefined ? [] : [missing];
  return { plan, warnings: [...warningsAbout(context, plan), ...warnings] };
}

const VARIABLE = /^[A-Za-z_]\w{0,127}$/u;

/** Refuses what an agent cannot reach, and secrets that would be written into its file. */
function validRemote({ url, tokenEnv }: RemoteServer): RemoteServer {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/u.test(parsed.protocol)) {
    throw new SvcError('USAGE', '--remote must be an http or https URL', {
      hint: 'use the public URL of the server, such as https://memory.example.com/mcp',
    });
  }
  if (`${parsed.username}${parsed.password}${parsed.search}${parsed.hash}` !== '') {
    throw new SvcError('USAGE', '--remote must be a URL without credentials, query or fragment', {
      hint: 'put the token into a variable, and pass its name with --token-env',
    });
  }
  // The message must not repeat the value: it may be the token itself.
  if (tokenEnv !== undefined && !VARIABLE.test(tokenEnv)) {
    throw new SvcError('USAGE', '--token-env must be the name of an environment variable', {
      hint: 'put the token into a variable, for example SVC_MCP_TOKEN, and pass that name',
    });
  }
  return { url: parsed.href, tokenEnv };
}

function absoluteTarget(
  { agent, workspace, config }: MemoryTarget,
  context: IntegrateContext,
): MemoryTarget {
  const path = (written: string | undefined) =>
    written === undefined ? undefined : typedPath(written, context);
  return { agent, workspace: path(workspace), config: path(config) };
}

/**
 * Refuses a memory that was named and does not exist: a typo would only show up inside the agent.
 *
 * @returns a warning if the configured workspace does not exist yet
 */
async function requireTarget(
  context: IntegrateContext,
  { agent, workspace, config }: MemoryTarget,
): Promise<Warning | undefined> {
  if (workspace !== undefined) {
    if (agent !== undefined) {
      throw new SvcError('USAGE', '--agent and --workspace cannot be combined', {
        hint: 'omit one of them',
      });
    }
    if (!isFolder(workspace)) {
      throw new SvcError('WORKSPACE_MISSING', `there is no workspace at ${workspace}`, {
        hint: `create it with "mkdir -p ${shellWord(workspace)}", or check the path`,
      });
    }
    return undefined;
  }
  const loaded = await loadConfig(context, { configFile: config });
  const { workspaceDir } = resolveAgent(loaded, agent, context);
  if (isFolder(workspaceDir)) return undefined;
  return {
    code: 'INTEGRATION_DOUBTFUL',
    message: `there is no workspace at ${workspaceDir}`,
    hint: `create it with "mkdir -p ${shellWord(workspaceDir)}", or choose another with "svc config init"`,
  };
}

/** What svc needs besides the recall itself: starting, and writing the response. */
const START_MS = 5000;

/** How long an agent has to wait for its hook: the longest recall that the configuration allows. */
async function recallTimeoutMs(
  context: IntegrateContext,
  { config }: MemoryTarget,
): Promise<number> {
  const { resolved } = await loadConfig(context, { configFile: config });
  const { timeoutMs, setupGraceTimeoutMs } = resolved.plugins.entries['active-memory'].config;
  return timeoutMs + setupGraceTimeoutMs + START_MS;
}

function* warningsAbout(context: IntegrateContext, plan: IntegrationPlan): Generator<Warning> {
  const { request, server } = plan;
  const { agent, scope, program } = request;
  const { title } = agent;
  const code = 'INTEGRATION_DOUBTFUL';
  const isUnknown = scope === 'user' && !isDetected(agent, context);
  if (isUnknown) yield { code, message: `${title} not found` };
  if (!isRemote(server) && isTemporary(program)) {
    const message = 'svc runs from the cache of npx, which is temporary';
    yield { code, message, hint: 'install svc with "npm install -g" and run this again' };
  }
  yield* targetWarning(context, plan);
  yield* hooksWarning(context, plan);
  if (!isRemote(server)) return;
  const { url, tokenEnv } = server;
  const parsed = new URL(url);
  if (parsed.protocol === 'http:' && !leadsToLoopback(parsed)) {
    const message = 'the token and all results are sent unencrypted to this URL';
    yield { code, message, hint: 'use an https URL' };
  }
  if (tokenEnv !== undefined && !context.env[tokenEnv]) {
    const hint = `set it where ${title} is started; "svc mcp token create" on the server makes a token`;
    yield { code, message: `${tokenEnv} is not set here`, hint };
  }
}

/** Warns before hooks for the memory of another server are replaced: an agent has one of a kind. */
function* hooksWarning(context: IntegrateContext, plan: IntegrationPlan): Generator<Warning> {
  const { request, files } = plan;
  const changes = files.flatMap((file) => file.changes);
  const users = (['recall', 'capture'] as const)
    .filter((kind) =>
      changes.some(({ part, change }) => part === HOOK_PARTS[kind] && change === 'update'),
    )
    .flatMap((kind) => otherUsersOfHook({ context, ...request }, kind));
  if (users.length === 0) return;
  const names = [...new Set(users)].join(', ');
  yield {
    code: 'INTEGRATION_DOUBTFUL',
    message: `this replaces the hooks of ${names}: ${request.agent.title} has hooks for one memory`,
    hint: `to keep them, register ${request.name} without --active-memory and --capture`,
  };
}

/** Warns when the hook of a plan recalls nothing, for instance because of a nearer configuration. */
export async function hookWarning(
  context: IntegrateContext,
  { request: { agent, scope }, hookLine }: IntegrationPlan,
): Promise<Warning | undefined> {
  const effect = hookLine === undefined ? undefined : await hookEffect({ context, scope, agent });
  if (effect === undefined || effect.recalls) return undefined;
  const message = `the hook recalls nothing in this folder: ${effect.why}`;
  return { code: 'INTEGRATION_DOUBTFUL', message, hint: effect.hint ?? undefined };
}

/** Warns before an entry of a server elsewhere, or one that selects a memory, is replaced by one that selects none. */
function* targetWarning(
  context: IntegrateContext,
  { request: { agent, scope, name, target, program, remote } }: IntegrationPlan,
): Generator<Warning> {
  if (remote !== undefined) return;
  const before = serversIn({ agent, context, scope }, program).find(
    (server) => server.name === name,
  );
  const code = 'INTEGRATION_DOUBTFUL';
  if (before?.url !== undefined) {
    const message = `this replaces the entry that connects to ${before.url}`;
    yield { code, message, hint: 'pass another --name to keep both' };
  } else if (targetWords(target).length === 0) {
    const dropped = targetWords(targetOf(before?.words ?? []))
      .map(shellWord)
      .join(' ');
    if (dropped === '') return;
    const message = `the entry selected another memory: ${dropped}`;
    yield {
      code,
      message,
      hint: 'pass these flags again to keep it, or its new name if it was renamed',
    };
  }
}
