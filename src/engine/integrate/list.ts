import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod/mini';
import { decideHookGates, HOOK_AGENTS } from '../active-memory/index.js';
import { isRecord, valueAt } from '../config/index.js';
import { SvcError, type Warning } from '../errors/index.js';
import { resolveStatePaths, type StatePaths } from '../support/context.js';
import { readJsonFile, writeJsonFile } from '../support/json-file.js';
import { uniqueBy } from '../support/lists.js';
import {
  type AgentFormat,
  type AgentId,
  filesOf,
  type HookKind,
  hasHook,
  type IntegrateContext,
  type IntegrationScope,
  noRecall,
} from './agent.js';
import { EDITORS, readAgentFile } from './agent-file.js';
import { AGENTS } from './agents.js';
import { hookEntries, serverKey, urlOf } from './entry.js';
import type { IntegrationsOutput } from './output-schemas.js';
import type { IntegrationPlan } from './plan.js';
import { isOurScript, type ProgramFacts, serverScript } from './program.js';
import { readLayers, wasWritten } from './receipts.js';

/** Whether a registered hook recalls anything in this folder. */
type HookEffect = NonNullable<IntegrationsOutput['agents'][number]['activeMemory']>;

/** An agent, and whether svc is registered with it. */
export type ListedAgent = IntegrationsOutput['agents'][number] & {
  readonly title: string;
  /** Whether the agent supports active memory. */
  readonly canRecall: boolean;
};

/** Lists agents, whether they were found, and whether svc is registered with them. */
export async function listIntegrations(
  context: IntegrateContext,
  scope: IntegrationScope,
  ids: readonly AgentId[],
  program: ProgramFacts,
): Promise<readonly ListedAgent[]> {
  return Promise.all(ids.map((id) => listAgent(AGENTS[id], context, scope, program)));
}

/** An active memory hook of an agent. */
export type RegisteredHook = Awaited<ReturnType<typeof registeredHooks>>[number];

/** Every active memory hook that agents run in this folder. Files that cannot be read are skipped. */
export async function registeredHooks(context: IntegrateContext) {
  const hooks = hookFiles(context).map(async ({ agent: { id, title }, agent, scope, file }) => {
    const effect = await skipUnreadable(() => hookEffect(context, scope, agent));
    return effect === undefined ? [] : [{ agent: id, title, file, effect }];
  });
  return (await Promise.all(hooks)).flat();
}

/** A file that makes an agent capture what was decided. */
export type RegisteredCapture = Awaited<ReturnType<typeof registeredCaptures>>[number];

/** Every file with capture hooks that agents run in this folder. Files that cannot be read are skipped. */
export async function registeredCaptures(context: IntegrateContext) {
  const captures = hookFiles(context).map(async ({ agent: { id, title }, agent, scope, file }) => {
    const commands = await skipUnreadable(() => hookCommands(context, scope, agent, 'capture'));
    if (commands === undefined || commands.length === 0) return [];
    const missing = missingPath(commands.flat());
    /** How the last capture ended; undefined if there was none. */
    const last = lastCapture(context.state, id);
    return [{ agent: id, title, scope, file, missing, last }];
  });
  return (await Promise.all(captures)).flat();
}

/** The files with hooks that agents read in this folder. */
function hookFiles(context: IntegrateContext) {
  return Object.values(AGENTS).flatMap((agent) => {
    const { hook } = agent;
    if (!hasHook(hook)) return [];
    const scopes = ['user', 'project'] as const;
    const files = scopes.map((scope) => ({ agent, scope, file: hook.file(context, scope) }));
    // Both are the same file in the home folder.
    return uniqueBy(files, ({ file }) => file);
  });
}

async function skipUnreadable<T>(read: () => Promise<T> | T): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return undefined;
  }
}

/** Whether the hook of an agent recalls anything; undefined where none is registered. */
async function hookEffect(
  context: IntegrateContext,
  scope: IntegrationScope,
  agent: AgentFormat,
): Promise<HookEffect | undefined> {
  const host = HOOK_AGENTS.find((known) => known === agent.id);
  const [words] = hookCommands(context, scope, agent, 'recall');
  if (host === undefined || words === undefined) return undefined;
  const missing = missingPath(words);
  if (missing === undefined) return effectOfCommand(context, host, words);
  const project = scope === 'project' ? ' --project' : '';
  return {
    recalls: false,
    why: `${missing}, named in its hook, does not exist`,
    hint: `update the hook: svc integrate ${agent.id} --active-memory${project}`,
  };
}

/** A path in the command of a hook that does not exist, such as that of a program that moved. */
function missingPath(words: readonly string[]): string | undefined {
  return words.find((word) => isAbsolute(word) && !existsSync(word));
}

/** The commands of the registered hooks of a kind, each as words. @throws SvcError INTEGRATION_FILE_INVALID */
function hookCommands(
  context: IntegrateContext,
  scope: IntegrationScope,
  { id, hook }: AgentFormat,
  kind: HookKind,
): readonly (readonly string[])[] {
  if (!hasHook(hook)) return [];
  const file = hook.file(context, scope);
  const { text } = readAgentFile(file);
  if (text === undefined) return [];
  const data = EDITORS[hook.syntax].read(file, text);
  const run = { kind, call: { words: ['svc'], env: {} }, timeoutMs: 0 } as const;
  return hookEntries(id, hook, run).flatMap((spec) => {
    const words = spec.find(data)?.words;
    return words === undefined ? [] : [words];
  });
}

/** Warns when the hook of a plan recalls nothing, for instance because of a nearer configuration. */
export async function hookWarning(
  context: IntegrateContext,
  { request: { agent, scope }, hookLine }: IntegrationPlan,
): Promise<Warning | undefined> {
  const effect = hookLine === undefined ? undefined : await hookEffect(context, scope, agent);
  if (effect === undefined || effect.recalls) return undefined;
  const message = `the hook recalls nothing in this folder: ${effect.why}`;
  return { code: 'INTEGRATION_DOUBTFUL', message, hint: effect.hint ?? undefined };
}

/** The effect of a hook's command line, with its own flags and variables. */
async function effectOfCommand(
  context: IntegrateContext,
  host: (typeof HOOK_AGENTS)[number],
  words: readonly string[],
): Promise<HookEffect> {
  const variables = words.flatMap((word) => {
    const [, name, value] = /^([A-Z_]+)=(.*)$/su.exec(word) ?? [];
    return name === undefined ? [] : [[name, value] as const];
  });
  const env = { ...context.env, ...Object.fromEntries(variables) };
  const { agent, config } = parseArgs({ args: [...words], options: FLAGS, strict: false }).values;
  const selection = {
    agentId: typeof agent === 'string' ? agent : undefined,
    configFile: typeof config === 'string' ? resolve(context.cwd, config) : undefined,
  };
  try {
    const state = variables.length === 0 ? context.state : resolveStatePaths(env, context.homeDir);
    const { closed } = await decideHookGates({ ...context, env, state }, selection, host);
    // Rules for single conversations apply only when there is one.
    return closed === undefined || closed.gate === 'chat_id'
      ? { recalls: true, why: null, hint: null }
      : { recalls: false, why: closed.why, hint: closed.hint ?? null };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return { recalls: false, why: error.message, hint: error.hint ?? null };
  }
}

const FLAGS = {
  agent: { type: 'string', short: 'a' },
  config: { type: 'string', short: 'c' },
} as const;

async function listAgent(
  agent: AgentFormat,
  context: IntegrateContext,
  scope: IntegrationScope,
  program: ProgramFacts,
): Promise<ListedAgent> {
  const { id, title } = agent;
  const files = filesOf(agent, context, scope);
  const listed: ListedAgent = {
    agent: id,
    title,
    detected: agent.detectPaths(context).some((path) => existsSync(path)),
    file: files.server,
    servers: [],
    hookFile: files.hook ?? null,
    hook: false,
    activeMemory: null,
    captures: false,
    error: null,
    canRecall: noRecall(agent) === undefined,
  };
  try {
    const servers = serversIn(agent, files.server, program, context);
    const activeMemory = (await hookEffect(context, scope, agent)) ?? null;
    const captures = hookCommands(context, scope, agent, 'capture').length > 0;
    return { ...listed, servers, hook: activeMemory !== null, activeMemory, captures };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return { ...listed, error: { code: error.code, message: error.message } };
  }
}

function serversIn(
  { server }: AgentFormat,
  file: string,
  program: ProgramFacts,
  { state }: Pick<IntegrateContext, 'state'>,
): readonly string[] {
  const { target, text } = readAgentFile(file);
  if (text === undefined) return [];
  const layers = readLayers(state, target);
  const isOurs = (name: string, entry: Readonly<Record<string, unknown>>): boolean => {
    const url = urlOf(server, entry);
    if (url !== undefined) return wasWritten(layers, serverKey(name), url);
    return isOurScript(serverScript(server.words(entry)), program);
  };
  const data = EDITORS[server.syntax].read(file, text);
  return server.maps(data).flatMap((map) => {
    const entries = valueAt(data, map);
    return Object.entries(isRecord(entries) ? entries : {}).flatMap(([name, entry]) =>
      isRecord(entry) && isOurs(name, entry) ? [name] : [],
    );
  });
}

const captureSchema = z.strictObject({
  atMs: z.number(),
  /** Sentences that were added. */
  added: z.int(),
  /** Why it failed; null if it did not. */
  error: z.nullable(z.string()),
});

/** How the last capture of an agent's conversations ended. */
export type LastCapture = Readonly<z.infer<typeof captureSchema>>;

/** Records how a capture ended, since nobody sees the errors of a hook. @throws the system's error */
export function recordCapture(state: StatePaths, agent: string, capture: LastCapture): void {
  writeJsonFile(captureFile(state, agent), capture);
}

/** Undefined if none was recorded. */
function lastCapture(state: StatePaths, agent: string): LastCapture | undefined {
  // A damaged one is replaced by the next capture.
  return captureSchema.safeParse(readJsonFile(captureFile(state, agent))).data;
}

function captureFile({ stateDir }: StatePaths, agent: string): string {
  return join(stateDir, 'captures', `${agent}.json`);
}
