import { readdirSync } from 'node:fs';
import { RootCommand } from '@bomb.sh/tab';
import {
  type LoadedConfig,
  listAgents,
  loadConfig,
  type ResolvedConfig,
  resolveAgent,
  resolveAgents,
} from '../engine/config/index.js';
import { ADAPTER_IDS } from '../engine/providers/registry.js';
import type { EngineContext } from '../engine/support/context.js';
import { resolvePath } from '../engine/support/files.js';
import { safeLine } from '../ui/safe-text.js';
import { type ManifestCommand, readManifest, readPackage } from './manifest.js';

/** A value that can stand in a command line, with what to show next to it. */
type Suggestion = readonly [value: string, description: string];

/** What kind of value a flag or argument takes, where it is one that can be listed. */
type Kind =
  | 'agent'
  | 'delivery'
  | 'file'
  | 'flow'
  | 'key'
  | 'kind'
  | 'note'
  | 'notification'
  | 'provider'
  | 'route'
  | 'schedule'
  | 'session'
  | 'setting'
  | 'target'
  | 'task'
  | 'token';

const KINDS: Readonly<Record<string, Kind>> = {
  agent: 'agent',
  citation: 'note',
  config: 'file',
  delivery: 'delivery',
  file: 'file',
  flow: 'flow',
  kind: 'kind',
  notification: 'notification',
  output: 'file',
  path: 'note',
  provider: 'provider',
  route: 'route',
  schedule: 'schedule',
  session: 'session',
  target: 'target',
  task: 'task',
  token: 'token',
  why: 'note',
  workspace: 'file',
};

/** Of arguments of `svc config`. */
const CONFIG_KINDS: Readonly<Record<string, Kind>> = { path: 'key', value: 'setting' };

/**
 * A value goes into the command line as it is, and the script of bash evaluates the line at the next Tab: names of
 * files and entries from other people's folders must hold nothing that a shell acts on.
 */
const PLAIN_VALUE = /^[\p{L}\p{N}_.,:@%+=/~-]+$/u;

/**
 * Prints what the last of some words could be, in the format that the shell scripts of `@bomb.sh/tab` read.
 *
 * @param words what was typed after `svc`; the last may be empty
 * @param root absolute path of the package, where oclif's manifest is
 */
export async function completeWords(
  words: readonly string[],
  { root, context }: { readonly root: string; readonly context: EngineContext },
): Promise<void> {
  const commands = readManifest(root);
  const { oclif } = readPackage(root);
  const suggestions = await suggestionsFor(words, context);
  const tree = new RootCommand();
  // Topics are commands to the library: without them nothing below them is found.
  for (const [name, { description }] of Object.entries(oclif.topics)) {
    tree.command(name.replaceAll(':', ' '), description);
  }
  for (const [id, command] of Object.entries(commands)) {
    if (command.hidden === true) continue;
    for (const name of [id, ...command.aliases]) addCommand(tree, name, command, suggestions);
  }
  tree.parse([...words]);
}

function addCommand(
  tree: RootCommand,
  id: string,
  { summary = '', flags, args }: ManifestCommand,
  suggestions: (kind: Kind) => readonly Suggestion[],
): void {
  // Values are looked up for the one flag or argument that is being typed, when the library asks for them.
  const valuesOf =
    (kind: Kind | undefined, options: readonly string[] | undefined) =>
    (complete: (value: string, description: string) => void): void => {
      const listed = options?.map((value): Suggestion => [value, '']);
      for (const [value, description] of listed ?? (kind === undefined ? [] : suggestions(kind))) {
        if (PLAIN_VALUE.test(value)) complete(value, safeLine(description));
      }
    };
  const node = tree.command(id.replaceAll(':', ' '), summary);
  for (const [name, flag] of Object.entries(flags)) {
    if (flag.hidden === true) continue;
    const { type, char, options } = flag;
    if (type === 'boolean') node.option(name, flag.summary ?? '', char ?? '');
    else node.option(name, flag.summary ?? '', valuesOf(KINDS[name], options), char);
  }
  for (const [name, { options, multiple }] of Object.entries(args)) {
    const kind = id.startsWith('config:') ? (CONFIG_KINDS[name] ?? KINDS[name]) : KINDS[name];
    node.argument(name, valuesOf(kind, options), multiple === true);
  }
}

/** Reads only what the words can ask for: somebody waits for each key. */
async function suggestionsFor(
  words: readonly string[],
  context: EngineContext,
): Promise<(kind: Kind) => readonly Suggestion[]> {
  // A configuration that cannot be read has no names to suggest, and its error belongs to other commands.
  const loaded = await loadConfig(context, {}).catch(() => undefined);
  const resolved = loaded?.resolved;
  const keys = words[0] === 'config' ? await configKeys() : [];
  const settings = words[1] === 'set' ? await settingsOf(words.at(-2) ?? '') : [];
  const kinds = words.some((word) => word.startsWith('--kind')) ? await documentKinds() : [];
  const tokens = words[0] === 'mcp' ? await mcpTokens(context) : [];
  const inFlows =
    resolved !== undefined && words.some((word) => FLOW_TOPICS.includes(word))
      ? await storedInFlows(context, resolved)
      : undefined;
  const deliveries = words.includes('webhook') ? await deliveriesIn(context) : [];
  const sessions = words.includes('sessions') ? await archivedSessions(context, loaded) : [];
  return (kind) => {
    switch (kind) {
      case 'agent':
        return (resolved === undefined ? [] : listAgents(resolved)).map((id) => [id, 'agent']);
      case 'provider': {
        const own = Object.keys(resolved?.models.providers ?? {});
        return [...new Set([...own, ...ADAPTER_IDS])].map((id) => [id, 'provider']);
      }
      case 'route':
        return Object.keys(resolved?.plugins.entries.webhooks.config.routes ?? {}).map((id) => [
          id,
          'webhook route',
        ]);
      case 'schedule':
        return Object.keys(resolved?.schedules ?? {}).map((id) => [id, 'schedule']);
      case 'key':
        return keys;
      case 'setting':
        return settings;
      case 'kind':
        return kinds;
      case 'token':
        return tokens;
      case 'flow':
      case 'task':
      case 'notification':
        return inFlows?.[kind] ?? [];
      case 'target':
        // Another command has an argument of this name.
        return words[0] === 'notification' ? (inFlows?.target ?? []) : [];
      case 'session':
        return sessions;
      case 'delivery':
        return deliveries;
      case 'file':
        return files(words.at(-1) ?? '', context.cwd, context.homeDir);
      case 'note': {
        const folder = workspaceIn(words, loaded, context);
        return folder === undefined ? [] : files(words.at(-1) ?? '', folder, context.homeDir);
      }
    }
  };
}

/** A record that cannot be read has none to suggest, and its error belongs to other commands. */
async function deliveriesIn({ state }: EngineContext): Promise<readonly Suggestion[]> {
  const { DeliveryReader } = await import('../engine/webhooks/deliveries/delivery-reader.js');
  const reader = new DeliveryReader(state.stateDir);
  const deliveries = reader.recent();
  reader.close();
  return deliveries.map(({ id, route, status, event }) => [
    id,
    `${route}: ${status}${event === null ? '' : ` ${event}`}`,
  ]);
}

/** Of the archives of all agents; one that cannot be read has none to suggest. */
async function archivedSessions(
  context: EngineContext,
  loaded: LoadedConfig | undefined,
): Promise<readonly Suggestion[]> {
  if (loaded === undefined) return [];
  const { archivedTitles } = await import('../engine/memory/sessions/index.js');
  return resolveAgents(loaded, context).flatMap((agent) => {
    try {
      return archivedTitles({ agent }, context).slice(0, MOST_LISTED);
    } catch {
      // Its error belongs to other commands.
      return [];
    }
  });
}

async function configKeys(): Promise<readonly Suggestion[]> {
  const { referenceByRoot } = await import('../engine/config/authoring.js');
  return [...referenceByRoot().values()]
    .flat()
    .filter(({ path }) => !/[*[]/u.test(path))
    .map(({ path, description }) => [path, description]);
}

/** The values that a configuration key takes, if they are few. */
async function settingsOf(key: string): Promise<readonly Suggestion[]> {
  const { valuesOfKey } = await import('../engine/config/authoring.js');
  try {
    return valuesOfKey(key).map((value) => [value, '']);
  } catch {
    // The path cannot be read, and its error belongs to other commands.
    return [];
  }
}

async function documentKinds(): Promise<readonly Suggestion[]> {
  const { FILTER_KINDS } = await import('../engine/memory/search/filters.js');
  return FILTER_KINDS.map((kind) => [kind, '']);
}

async function mcpTokens({ state }: EngineContext): Promise<readonly Suggestion[]> {
  const { readTokens } = await import('../engine/mcp/tokens/token-store.js');
  try {
    return readTokens(state.stateDir).map(({ name }) => [name, 'token']);
  } catch {
    // Its error belongs to other commands.
    return [];
  }
}

const MOST_LISTED = 50;
/** Commands whose values are in the flow store. */
const FLOW_TOPICS: readonly string[] = ['flow', 'notification', 'task'];

async function storedInFlows(
  context: EngineContext,
  resolved: ResolvedConfig,
): Promise<Readonly<Record<'flow' | 'notification' | 'target' | 'task', readonly Suggestion[]>>> {
  const { notificationTargets, openFlows } = await import('../engine/flows/index.js');
  const flows = await openFlows(context, resolved);
  try {
    const { operator } = flows;
    const { entries: listed } = await operator.listFlows({ limit: MOST_LISTED });
    const { entries: tasks } = await operator.listTasks({ limit: MOST_LISTED });
    const { entries: sent } = await operator.listNotifications({ limit: MOST_LISTED });
    return {
      flow: listed.map(({ flow }) => [flow.flowId, `${flow.status} ${flow.goal}`]),
      task: tasks.map((task) => [task.taskId, `${task.status} ${task.task}`]),
      notification: sent.map(({ seq, outcome, kind, target }) => [
        String(seq),
        `${outcome} ${kind} for ${target}`,
      ]),
      target: notificationTargets(resolved).map(({ filter }) => [filter.id, 'target']),
    };
  } finally {
    await flows.close();
  }
}

/** The workspace that the words choose, or the default agent's; undefined if there is none. */
function workspaceIn(
  words: readonly string[],
  loaded: LoadedConfig | undefined,
  context: EngineContext,
): string | undefined {
  const dir = valueIn(words, '--workspace', '-w');
  if (dir !== undefined) return resolvePath(dir, context.cwd, context.homeDir);
  if (loaded === undefined) return undefined;
  try {
    return resolveAgent(loaded, valueIn(words, '--agent', '-a'), context).workspaceDir;
  } catch {
    // An unknown agent; its error belongs to other commands.
    return undefined;
  }
}

/** The value of a flag among words that are still being typed. */
function valueIn(words: readonly string[], flag: string, char: string): string | undefined {
  const at = words.findIndex((word) => word === flag || word === char);
  if (at !== -1) return words[at + 1];
  const joined = words.find((word) => word.startsWith(`${flag}=`));
  return joined?.slice(flag.length + 1);
}

function files(typed: string, cwd: string, homeDir: string): readonly Suggestion[] {
  const text = typed.includes('=') ? typed.slice(typed.indexOf('=') + 1) : typed;
  const folder = text.includes('/') ? text.slice(0, text.lastIndexOf('/') + 1) : '';
  try {
    return readdirSync(resolvePath(folder === '' ? '.' : folder, cwd, homeDir), {
      withFileTypes: true,
    })
      .slice(0, 1000)
      .map((entry) => [`${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`, '']);
  } catch {
    // Nothing is there to suggest.
    return [];
  }
}
