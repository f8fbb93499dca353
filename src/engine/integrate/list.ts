import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod/mini';
import { decideHookGates, HOOK_AGENTS } from '../active-memory/index.js';
import { loadConfig, valueAt } from '../config/index.js';
import { SvcError, skipSvcError } from '../errors/index.js';
import { resolveStatePaths, type StatePaths } from '../support/context.js';
import { readJsonFile, writeJsonFile } from '../support/json-file.js';
import { uniqueBy } from '../support/lists.js';
import { isRecord, shellWord } from '../support/text.js';
import {
  type AgentFormat,
  type AgentId,
  canCapture,
  type HookKind,
  hasHook,
  type IntegrateContext,
  type IntegrationScope,
  isDetected,
  noRecall,
} from './agent.js';
import { EDITORS, readAgentFile } from './agent-file.js';
import { AGENTS } from './agents.js';
import { hookEntries, serverKey, urlOf } from './entry.js';
import type { IntegrationsOutput } from './output-schemas.js';
import {
  isOurScript,
  type MemoryTarget,
  type ProgramFacts,
  serverScript,
  targetWords,
  variableWords,
} from './program.js';
import { readLayers, wasWritten } from './receipts.js';

/** Whether a registered hook recalls anything in this folder. */
type HookEffect = NonNullable<IntegrationsOutput['agents'][number]['activeMemory']>;

/** An agent, and whether svc is registered with it. */
export type ListedAgent = IntegrationsOutput['agents'][number] & {
  readonly title: string;
  /** Whether the agent supports active memory. */
  readonly canRecall: boolean;
  /** Whether the agent supports capturing what was decided. */
  readonly canCapture: boolean;
};

/** Lists agents, whether they were found, and whether svc is registered with them. */
export async function listIntegrations(
  context: IntegrateContext,
  scope: IntegrationScope,
  ids: readonly AgentId[],
  program: ProgramFacts,
): Promise<readonly ListedAgent[]> {
  return Promise.all(ids.map((id) => listAgent({ agent: AGENTS[id], context, scope }, program)));
}

/** An agent and the files that it reads in the current folder of a context. */
interface AgentPlace {
  readonly agent: AgentFormat;
  readonly context: IntegrateContext;
  readonly scope: IntegrationScope;
}

/** A server that svc registered with an agent. */
export type RegisteredServer = Awaited<ReturnType<typeof registeredServers>>[number];

/** Every server that agents start in this folder. Files that cannot be read are skipped. */
export async function registeredServers(context: IntegrateContext) {
  const servers = Object.values(AGENTS).flatMap((agent) =>
    scopedFiles(agent.server, context).map(async ({ scope, file }) => {
      const place = { agent, context, scope };
      const found = await checkedServers(place, undefined).catch(skipSvcError);
      return (found ?? []).map((server) => ({ title: agent.title, file, ...server }));
    }),
  );
  return (await Promise.all(servers)).flat();
}

/** An active memory hook of an agent. */
export type RegisteredHook = Awaited<ReturnType<typeof registeredHooks>>[number];

/** Every active memory hook that agents run in this folder. Files that cannot be read are skipped. */
export async function registeredHooks(context: IntegrateContext) {
  const hooks = hookFiles(context).map(async ({ file, ...place }) => {
    const { id, title } = place.agent;
    const effect = await hookEffect(place).catch(skipSvcError);
    return effect === undefined ? [] : [{ agent: id, title, file, effect }];
  });
  return (await Promise.all(hooks)).flat();
}

/** A file that makes an agent capture what was decided. */
export type RegisteredCapture = Awaited<ReturnType<typeof registeredCaptures>>[number];

/** Every file with capture hooks that agents run in this folder. Files that cannot be read are skipped. */
export async function registeredCaptures(context: IntegrateContext) {
  const captures = hookFiles(context).map(async ({ file, ...place }) => {
    const { id, title } = place.agent;
    const hooks = await captureHooks(place).catch(skipSvcError);
    if (hooks === undefined) return [];
    /** How the last capture ended; undefined if none was recorded. A damaged one is replaced by the next capture. */
    const last = captureSchema.safeParse(readJsonFile(captureFile(context.state, id))).data;
    return [{ agent: id, title, file, moved: hooks.moved, last }];
  });
  return (await Promise.all(captures)).flat();
}

/** The capture hooks of an agent, with what the first broken one lacks; undefined where none are registered. */
async function captureHooks(place: AgentPlace) {
  const commands = hookCommands(place, 'capture');
  if (commands.length === 0) return undefined;
  const lacks = await Promise.all(
    commands.map((words) => lackOf(words, place, { what: 'hook', flags: ['--capture'] })),
  );
  return { moved: lacks.find((lack) => lack !== undefined) };
}

/** The files with hooks that agents read in this folder. */
function hookFiles(context: IntegrateContext) {
  return Object.values(AGENTS).flatMap((agent) => {
    const { hook } = agent;
    if (!hasHook(hook)) return [];
    return scopedFiles(hook, context).map((place) => ({ agent, context, ...place }));
  });
}

/** The files of a format that an agent reads in this folder. */
function scopedFiles(format: Pick<AgentFormat['server'], 'file'>, context: IntegrateContext) {
  const scopes = ['user', 'project'] as const;
  const files = scopes.map((scope) => ({ scope, file: format.file(context, scope) }));
  // Both are the same file in the home folder.
  return uniqueBy(files, ({ file }) => file);
}

/** Whether the hook of an agent recalls anything; undefined where none is registered. */
export async function hookEffect(place: AgentPlace): Promise<HookEffect | undefined> {
  const host = HOOK_AGENTS.find((known) => known === place.agent.id);
  const [words] = hookCommands(place, 'recall');
  if (host === undefined || words === undefined) return undefined;
  const lack = await lackOf(words, place, { what: 'hook', flags: ['--active-memory'] });
  if (lack === undefined) return effectOfCommand(place.context, host, words);
  const why = `${lack.missing}, named in its hook, does not exist`;
  return { recalls: false, why, hint: lack.hint };
}

/**
 * What a command names that does not exist: a path, such as that of a program that moved, or the agent whose memory it
 * uses. Undefined if there is nothing.
 *
 * @param words what the agent runs, perhaps after variables
 * @param registered what it is in the file of the agent, and the flags that register it again
 */
async function lackOf(
  words: readonly string[],
  { agent, context, scope }: AgentPlace,
  { what, flags }: { readonly what: string; readonly flags: readonly string[] },
) {
  const path = words.find((word) => isAbsolute(word) && !existsSync(word));
  const missing = path ?? (await unknownAgent(words, context));
  if (missing === undefined) return undefined;
  // A memory that does not exist is not registered again.
  const rest = words.filter((word, at) => word !== missing && words[at + 1] !== missing);
  const project = scope === 'project' ? ['--project'] : [];
  const all = [...flags, ...project, ...targetWords(targetOf(rest))].map(shellWord);
  const hint = `update the ${what}: ${['svc integrate', agent.id, ...all].join(' ')}`;
  return { missing: path ?? `agent ${missing}`, hint };
}

/** The agent whose memory a command uses, if the configuration has no such agent. */
async function unknownAgent(
  words: readonly string[],
  context: IntegrateContext,
): Promise<string | undefined> {
  const { agent, config: configFile } = targetOf(words);
  if (agent === undefined) return undefined;
  const loaded = await loadConfig(worldOf(words, context), { configFile }).catch(skipSvcError);
  const isKnown = loaded?.resolved.agents.list.some(({ id }) => id === agent) ?? true;
  return isKnown ? undefined : agent;
}

/** The context of a command, with the variables before it. */
function worldOf(words: readonly string[], context: IntegrateContext): IntegrateContext {
  const variables = words.flatMap((word) => {
    const [, name, value] = /^([A-Z_]+)=(.*)$/su.exec(word) ?? [];
    return name === undefined ? [] : [[name, value] as const];
  });
  if (variables.length === 0) return context;
  const env = { ...context.env, ...Object.fromEntries(variables) };
  return { ...context, env, state: resolveStatePaths(env, context.homeDir) };
}

/** The memory that a command selects. */
export function targetOf(words: readonly string[]): MemoryTarget {
  const { values } = parseArgs({ args: [...words], options: FLAGS, strict: false });
  const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const { agent, workspace, config } = values;
  return { agent: textOf(agent), workspace: textOf(workspace), config: textOf(config) };
}

/** The commands of the registered hooks of a kind, each as words. @throws SvcError INTEGRATION_FILE_INVALID */
function hookCommands(
  { agent: { id, hook }, context, scope }: AgentPlace,
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

/** The names of the servers whose memory a hook uses; none if it is that of the server with this name. */
export function otherUsersOfHook(
  server: AgentPlace & { readonly name: string; readonly program: ProgramFacts },
  kind: HookKind,
): readonly string[] {
  const [hook] = hookCommands(server, kind);
  if (hook === undefined) return [];
  const memoryOf = (words: readonly string[]) => targetWords(targetOf(words)).join('\n');
  const users = serversIn(server, server.program)
    // One on another machine has no words.
    .filter(({ words }) => words.length > 0 && memoryOf(words) === memoryOf(hook))
    .map(({ name }) => name);
  return users.includes(server.name) ? [] : users;
}

/** The effect of a hook's command line, with its own flags and variables. */
async function effectOfCommand(
  context: IntegrateContext,
  host: (typeof HOOK_AGENTS)[number],
  words: readonly string[],
): Promise<HookEffect> {
  const { agent: agentId, config: configFile } = targetOf(words);
  try {
    const selection = { agentId, configFile };
    const { closed } = await decideHookGates(worldOf(words, context), selection, host);
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
  workspace: { type: 'string', short: 'w' },
} as const;

async function listAgent(place: AgentPlace, program: ProgramFacts): Promise<ListedAgent> {
  const { agent, context, scope } = place;
  const { id, title, server, hook } = agent;
  const listed: ListedAgent = {
    agent: id,
    title,
    detected: isDetected(agent, context),
    file: server.file(context, scope),
    servers: [],
    moved: [],
    hookFile: hasHook(hook) ? hook.file(context, scope) : null,
    hook: false,
    activeMemory: null,
    captures: false,
    captureMoved: null,
    error: null,
    canRecall: noRecall(agent) === undefined,
    canCapture: canCapture(agent),
  };
  try {
    const found = await checkedServers(place, program);
    const servers = found.map(({ name }) => name);
    const moved = found.flatMap((server) => server.moved ?? []);
    const activeMemory = (await hookEffect(place)) ?? null;
    const capture = await captureHooks(place);
    return {
      ...listed,
      servers,
      moved,
      hook: activeMemory !== null,
      activeMemory,
      captures: capture !== undefined,
      captureMoved: capture?.moved ?? null,
    };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return { ...listed, error: { code: error.code, message: error.message } };
  }
}

/** The servers of svc in the file of an agent, with what they lack. @param program undefined where it is not known */
async function checkedServers(place: AgentPlace, program: ProgramFacts | undefined) {
  const servers = serversIn(place, program).map(async ({ name, words }) => {
    const flags = name === 'svc' ? [] : ['--name', name];
    const lack = await lackOf(words, place, { what: 'entry', flags });
    return { name, moved: lack && { name, ...lack } };
  });
  return Promise.all(servers);
}

/** The servers of svc in the file of an agent, with their command lines, or their URLs. */
export function serversIn(
  { agent: { server }, context, scope }: AgentPlace,
  program: ProgramFacts | undefined,
) {
  const file = server.file(context, scope);
  const { target, text } = readAgentFile(file);
  if (text === undefined) return [];
  const layers = readLayers(context.state, target);
  const isOurs = (name: string, url: string | undefined, script: string | undefined): boolean => {
    if (url === undefined && isOurScript(script, program)) return true;
    const scriptOrUrl = url ?? script;
    return scriptOrUrl !== undefined && wasWritten(layers, serverKey(name), scriptOrUrl);
  };
  const data = EDITORS[server.syntax].read(file, text);
  return server.maps(data).flatMap((map) => {
    const entries = valueAt(data, map);
    return Object.entries(isRecord(entries) ? entries : {}).flatMap(([name, entry]) => {
      if (!isRecord(entry)) return [];
      const words = server.words(entry);
      const url = urlOf(server, entry);
      if (!isOurs(name, url, serverScript(words))) return [];
      return [{ name, url, words: [...variableWords(entry[server.envKey]), ...words] }];
    });
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

function captureFile({ stateDir }: StatePaths, agent: string): string {
  return join(stateDir, 'captures', `${agent}.json`);
}
