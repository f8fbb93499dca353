import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { decideHookGates, HOOK_AGENTS } from '../active-memory/index.js';
import { isRecord, valueAt } from '../config/index.js';
import { SvcError, type Warning } from '../errors/index.js';
import { resolveStatePaths } from '../support/context.js';
import {
  type AgentFormat,
  type AgentId,
  filesOf,
  hasHook,
  type IntegrateWorld,
  type IntegrationScope,
} from './agent.js';
import { readAgentFile } from './agent-file.js';
import { AGENTS } from './agents.js';
import { EDITORS } from './edit/index.js';
import { hookEntry } from './entry.js';
import type { IntegrationsOutput } from './output-schemas.js';
import type { IntegrationPlan } from './plan.js';
import { isOurScript, type ProgramFacts, serverScript, shellWords } from './program.js';

/** Whether a registered hook recalls anything in this folder. */
export type HookEffect = NonNullable<IntegrationsOutput['agents'][number]['activeMemory']>;

export interface ListedAgent {
  readonly id: AgentId;
  readonly title: string;
  /** Whether it was found on this machine. */
  readonly isDetected: boolean;
  /** Absolute path of the file for the server. */
  readonly file: string;
  /** The names under which svc is registered. */
  readonly servers: readonly string[];
  /** Absolute path of the file for active memory; undefined where the agent does not support it. */
  readonly hookFile: string | undefined;
  /** Undefined where none is registered. */
  readonly hook: HookEffect | undefined;
  /** Why a file cannot be read. */
  readonly fault: SvcError | undefined;
}

/** Lists agents, whether they were found, and whether svc is registered with them. */
export async function listIntegrations(
  world: IntegrateWorld,
  scope: IntegrationScope,
  ids: readonly AgentId[],
  program: ProgramFacts,
): Promise<readonly ListedAgent[]> {
  return Promise.all(ids.map((id) => listed(AGENTS[id], world, scope, program)));
}

export interface RegisteredHook {
  readonly agent: AgentId;
  readonly title: string;
  /** Absolute. */
  readonly file: string;
  readonly effect: HookEffect;
}

/** Every active memory hook that agents run in this folder. Files that cannot be read are skipped. */
export async function registeredHooks(world: IntegrateWorld): Promise<readonly RegisteredHook[]> {
  const found: RegisteredHook[] = [];
  for (const agent of Object.values(AGENTS)) {
    const { id, title, hook } = agent;
    if (!hasHook(hook)) continue;
    for (const scope of ['user', 'project'] as const) {
      const file = hook.file(world, scope);
      // Both are the same file in the home folder.
      if (found.some((known) => known.file === file)) continue;
      try {
        const effect = await hookEffect(world, scope, agent);
        if (effect !== undefined) found.push({ agent: id, title, file, effect });
      } catch (error) {
        if (!(error instanceof SvcError)) throw error;
      }
    }
  }
  return found;
}

/** Whether the hook of an agent recalls anything; undefined where none is registered. */
async function hookEffect(
  world: IntegrateWorld,
  scope: IntegrationScope,
  { id, hook }: AgentFormat,
): Promise<HookEffect | undefined> {
  const host = HOOK_AGENTS.find((known) => known === id);
  if (!hasHook(hook) || host === undefined) return undefined;
  const file = hook.file(world, scope);
  const { text } = readAgentFile(file);
  if (text === undefined) return undefined;
  const data = EDITORS[hook.syntax].read(file, text);
  const found = hookEntry(id, hook, { words: [''], env: {} }, 0).find(data);
  if (found === undefined) return undefined;
  const words = shellWords(String(valueAt(data, [...found.keysAt, 'command'])));
  return effectOf(world, host, words);
}

/** Warns when the hook of a plan recalls nothing, for instance because of a nearer configuration. */
export async function hookWarning(
  world: IntegrateWorld,
  { request: { agent, scope }, hookLine }: IntegrationPlan,
): Promise<Warning | undefined> {
  const effect = hookLine === undefined ? undefined : await hookEffect(world, scope, agent);
  if (effect === undefined || effect.recalls) return undefined;
  const message = `the hook recalls nothing in this folder: ${effect.why}`;
  return { code: 'INTEGRATION_DOUBTFUL', message, hint: effect.hint ?? undefined };
}

/** The effect of a hook's command line, with its own flags and variables. */
async function effectOf(
  world: IntegrateWorld,
  host: (typeof HOOK_AGENTS)[number],
  words: readonly string[],
): Promise<HookEffect> {
  const own = words.flatMap((word) => {
    const set = /^(?<name>[A-Z_]+)=(?<value>.*)$/su.exec(word)?.groups;
    return set?.['name'] === undefined ? [] : [[set['name'], set['value']] as const];
  });
  const env = { ...world.env, ...Object.fromEntries(own) };
  const { agent, config } = parseArgs({ args: [...words], options: FLAGS, strict: false }).values;
  const selection = {
    agentId: typeof agent === 'string' ? agent : undefined,
    configFile: typeof config === 'string' ? resolve(world.cwd, config) : undefined,
  };
  try {
    const state = own.length === 0 ? world.state : resolveStatePaths(env, world.homeDir);
    const gates = await decideHookGates({ ...world, env, state }, selection, host);
    // Rules for single conversations apply only when there is one.
    if (gates.open || gates.closedBy === 'chat_id') return { recalls: true, why: null, hint: null };
    return { recalls: false, why: gates.why, hint: gates.hint ?? null };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return { recalls: false, why: error.message, hint: error.hint ?? null };
  }
}

const FLAGS = {
  agent: { type: 'string', short: 'a' },
  config: { type: 'string', short: 'c' },
} as const;

async function listed(
  agent: AgentFormat,
  world: IntegrateWorld,
  scope: IntegrationScope,
  program: ProgramFacts,
): Promise<ListedAgent> {
  const { id, title } = agent;
  const files = filesOf(agent, world, scope);
  const isDetected = agent.signs(world).some((sign) => existsSync(sign));
  const seen = { id, title, isDetected, file: files.server, hookFile: files.hook };
  try {
    const servers = serversIn(agent, files.server, program);
    return { ...seen, servers, hook: await hookEffect(world, scope, agent), fault: undefined };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return { ...seen, servers: [], hook: undefined, fault: error };
  }
}

function serversIn(
  { server }: AgentFormat,
  file: string,
  program: ProgramFacts,
): readonly string[] {
  const { text } = readAgentFile(file);
  if (text === undefined) return [];
  const data = EDITORS[server.syntax].read(file, text);
  return server.maps(data).flatMap((map) => {
    const entries = valueAt(data, map);
    return Object.entries(isRecord(entries) ? entries : {}).flatMap(([name, entry]) =>
      isRecord(entry) && isOurScript(serverScript(server.words(entry)), program) ? [name] : [],
    );
  });
}
