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
import type { DreamWorkspace } from '../engine/dreaming/dream-workspace.js';
import type { OpenDreams } from '../engine/dreaming/index.js';
import { ACTIVE_FLOW_STATUSES, type FlowStatus } from '../engine/flow-model/flow-record.js';
import { ACTIVE_TASK_STATUSES, type TaskStatus } from '../engine/flow-model/task-record.js';
import type { Flows } from '../engine/flows/index.js';
import { ADAPTER_IDS } from '../engine/providers/registry.js';
import { type EngineContext, typedPath } from '../engine/support/context.js';
import { realOrGiven, resolvePath } from '../engine/support/paths.js';
import { safeLine } from '../ui/safe-text.js';
import { type ManifestCommand, readManifest, readPackage } from './manifest.js';
import { knownWords } from './without-command.js';

/** A value for the command line, and its description. */
type Suggestion = readonly [value: string, description: string];

/**
 * A value goes into the command line as it is: names of files and entries from other people's folders must contain
 * nothing that a shell acts on.
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
  const tree = new RootCommand();
  // Topics are commands to the library: without them nothing below them is found. It describes a word as the first
  // command that starts with it, so "mcp" comes before "mcp token".
  const { topics } = knownWords(readPackage(root), commands);
  for (const [name, purpose] of [...topics].sort(([a], [b]) => (a < b ? -1 : 1))) {
    tree.command(name.replaceAll(':', ' '), purpose);
  }
  tree.command('help', 'Show the help of a command.');
  // "svc help memory add" takes what follows "svc".
  const line = words[0] === 'help' && words.length > 1 ? words.slice(1) : words;
  const values = await valuesFor(line, commands, context);
  for (const [id, command] of Object.entries(commands)) {
    if (command.hidden === true) continue;
    for (const name of [id, ...command.aliases]) {
      // As in the list of "svc --help".
      const summary = topics.get(name) ?? command.summary;
      addCommand(tree, name, { ...command, summary }, values);
    }
  }
  // The library takes the word after --flag=value for another value of that flag.
  tree.parse(withoutJoined(line));
}

/** Leaves out each `--flag=value` that is followed by another word. */
function withoutJoined(words: readonly string[]): string[] {
  return words.filter((word, at) => at === words.length - 1 || !/^--[^=]+=/u.test(word));
}

/** What flags and arguments could be, by their names. */
type Values = ReadonlyMap<string, readonly Suggestion[]>;

function addCommand(
  tree: RootCommand,
  id: string,
  { summary = '', flags, args }: ManifestCommand,
  values: Values,
): void {
  const valuesOf =
    (name: string, options: readonly string[] | undefined) =>
    (complete: (value: string, description: string) => void): void => {
      const listed = options?.map((value): Suggestion => [value, '']);
      for (const [value, description] of listed ?? values.get(name) ?? []) {
        if (PLAIN_VALUE.test(value)) complete(value, safeLine(description));
      }
    };
  const node = tree.command(id.replaceAll(':', ' '), summary);
  for (const [name, flag] of Object.entries(flags)) {
    if (flag.hidden === true) continue;
    const { summary = '', char } = flag;
    if (flag.type === 'boolean') node.option(name, summary, char ?? '');
    else node.option(name, summary, valuesOf(name, flag.options), char);
  }
  for (const [name, { options, multiple }] of Object.entries(args)) {
    node.argument(name, valuesOf(name, options), multiple === true);
  }
}

/** Reads only what the words can ask for, the last flag or an argument: somebody waits for each key. */
async function valuesFor(
  words: readonly string[],
  commands: Readonly<Record<string, ManifestCommand>>,
  context: EngineContext,
): Promise<Values> {
  const values = new Map<string, readonly Suggestion[]>();
  const command = Object.values(commands)
    .flatMap((one) => [one.id, ...one.aliases].map((id) => ({ ...one, words: id.split(':') })))
    .filter((one) => one.words.every((word, at) => word === words[at]))
    .sort((a, b) => b.words.length - a.words.length)[0];
  if (command === undefined) return values;
  // First, because what is typed overrides a variable.
  const line = [...valuesOfVariables(command, words, context.env), ...words];
  // A configuration that cannot be read has no names to suggest, and its error belongs to other commands.
  const configFile = valueIn(line, '--config');
  const loaded = await loadConfig(context, { configFile }).catch(() => undefined);
  const flag =
    withoutJoined(words)
      .slice(-2)
      .findLast((word) => word.startsWith('-')) ?? '';
  const [, typedName] = /^--?([^=]*)/u.exec(flag) ?? [];
  const flags = Object.values(command.flags).filter(
    ({ name, char }) => typedName !== undefined && (name === typedName || char === typedName),
  );
  const targets = [
    ...Object.keys(command.args).map((name) => ({ name, key: `${command.id}:${name}` })),
    // Last, because an argument can have the same name.
    ...flags.map(({ name }) => ({ name, key: `${command.id}:--${name}` })),
  ];
  for (const { name, key } of targets) {
    const source = SOURCES[key] ?? SOURCES[`${command.id.split(':')[0]}:${name}`] ?? SOURCES[name];
    try {
      values.set(name, (await source?.({ words: line, context, loaded })) ?? []);
    } catch {
      // What cannot be read has nothing to suggest, and its error belongs to other commands.
    }
  }
  return values;
}

/** The words that the variables of a command's flags stand for. */
function valuesOfVariables(
  { flags }: ManifestCommand,
  words: readonly string[],
  env: EngineContext['env'],
): readonly string[] {
  const isAgentTyped = valueIn(words, '--agent', '-a') !== undefined;
  return Object.entries(flags).flatMap(([name, flag]) => {
    if (name === 'workspace' && isAgentTyped) return [];
    const value = flag.env === undefined ? undefined : env[flag.env];
    return value ? [`--${name}=${value}`] : [];
  });
}

interface Line {
  readonly words: readonly string[];
  readonly context: EngineContext;
  readonly loaded: LoadedConfig | undefined;
}

type Source = (line: Line) => readonly Suggestion[] | Promise<readonly Suggestion[]>;

const paths: Source = ({ words, context: { cwd, homeDir } }) =>
  files(words.at(-1) ?? '', cwd, homeDir);

const notes: Source = ({ words, context, loaded }) => {
  const folder = workspaceIn(words, loaded, context);
  return folder === undefined ? [] : files(words.at(-1) ?? '', folder, context.homeDir);
};

const memoryAgents = ({ loaded }: Line): readonly Suggestion[] =>
  loaded === undefined ? [] : listAgents(loaded.resolved).map((id) => [id, 'agent']);

const providers = ({ loaded }: Line): readonly Suggestion[] => {
  const configured = Object.keys(loaded?.resolved.models.providers ?? {});
  return [...new Set([...configured, ...ADAPTER_IDS])].map((id) => [id, 'provider']);
};

/** Suggests the names of entries in a part of the configuration. */
const fromConfig =
  (description: string, entries: (config: ResolvedConfig) => object): Source =>
  ({ loaded }) =>
    Object.keys(loaded === undefined ? {} : entries(loaded.resolved)).map((id) => [
      id,
      description,
    ]);

const fromFlows =
  (list: (flows: Flows) => Promise<readonly Suggestion[]>): Source =>
  async ({ context, loaded }) => {
    if (loaded === undefined) return [];
    const { openExistingFlows } = await import('../engine/flows/index.js');
    const flows = await openExistingFlows(context, loaded.resolved);
    try {
      return flows === undefined ? [] : await list(flows);
    } finally {
      await flows?.close();
    }
  };

const flowIds = (statuses?: readonly FlowStatus[]): Source =>
  fromFlows(async ({ operator }) => {
    const { entries } = await operator.listFlows({ limit: MOST_LISTED, statuses });
    return entries.map(({ flow }) => [flow.flowId, `${flow.status} ${flow.goal}`]);
  });

const taskIds = (statuses?: readonly TaskStatus[]): Source =>
  fromFlows(async ({ operator }) => {
    const { entries } = await operator.listTasks({ limit: MOST_LISTED, statuses });
    return entries.map((task) => [task.taskId, `${task.status} ${task.task}`]);
  });

/** From what is recorded of the workspace that the words choose. */
const fromDreams =
  (list: (dreams: OpenDreams) => readonly Suggestion[]): Source =>
  async (line) => {
    const { readDreams } = await import('../engine/dreaming/index.js');
    return (await dreamWorkspaces(line)).flatMap((workspace) => readDreams(workspace, list));
  };

async function dreamWorkspaces({
  words,
  context,
  loaded,
}: Line): Promise<readonly DreamWorkspace[]> {
  if (valueIn(words, '--workspace', '-w') !== undefined) {
    const { dreamWorkspace } = await import('../engine/dreaming/dream-workspace.js');
    const dir = workspaceIn(words, loaded, context);
    return dir === undefined ? [] : [dreamWorkspace(realOrGiven(dir), context.state)];
  }
  if (loaded === undefined) return [];
  const { dreamTargets } = await import('../engine/dreaming/index.js');
  const { id } = resolveAgent(loaded, valueIn(words, '--agent', '-a'), context);
  return dreamTargets(loaded, context, id).map(({ workspace }) => workspace);
}

/** Where the values of flags and arguments come from, by their names, some only in a topic. */
const SOURCES: Readonly<Record<string, Source>> = {
  citation: notes,
  path: notes,
  why: notes,
  'memory:target': notes,
  config: paths,
  file: paths,
  'memory:add:--file': notes,
  output: paths,
  workspace: paths,
  into: paths,
  transcript: paths,
  questions: paths,
  baseline: paths,
  'write-baseline': paths,
  agent: memoryAgents,
  'integrate:agent': async () => {
    const { AGENT_IDS } = await import('../engine/integrate/index.js');
    return AGENT_IDS.map((id) => [id, 'coding agent']);
  },
  'integrate:--agent': memoryAgents,
  provider: providers,
  route: fromConfig('webhook route', ({ plugins }) => plugins.entries.webhooks.config.routes),
  schedule: fromConfig('schedule', ({ schedules }) => schedules),
  'logs:--service': async () => {
    const { SERVICE_SWITCHES } = await import('../engine/serve/index.js');
    return SERVICE_SWITCHES.map((name) => [name, 'service']);
  },
  'config:path': async () => {
    const { referenceByRoot } = await import('../engine/config/authoring.js');
    const keys = [...referenceByRoot().values()].flat();
    return keys.map(({ path, description }) => [path, description]);
  },
  /** The values that a configuration key takes, if they are few. */
  'config:value': async (line) => {
    const key = line.words.at(-2) ?? '';
    if (key.endsWith('memorySearch.provider')) {
      return [['auto', 'the first available'], ['none', 'keyword search only'], ...providers(line)];
    }
    if (key.endsWith('memorySearch.fallback')) return [['none', 'no fallback'], ...providers(line)];
    const { valuesOfKey } = await import('../engine/config/authoring.js');
    return valuesOfKey(key).map((value) => [value, '']);
  },
  kind: async () => {
    const { FILTER_KINDS } = await import('../engine/memory/search/filters.js');
    return FILTER_KINDS.map((kind) => [kind, '']);
  },
  token: async ({ context: { state } }) => {
    const { readTokens } = await import('../engine/mcp/tokens/token-store.js');
    return readTokens(state.stateDir).map(({ name }) => [name, 'token']);
  },
  delivery: async ({ context: { state } }) => {
    const { DeliveryReader } = await import('../engine/webhooks/deliveries/delivery-reader.js');
    const reader = new DeliveryReader(state.stateDir);
    const deliveries = reader.recent();
    reader.close();
    return deliveries.map(({ id, route, status, event }) => [
      id,
      `${route}: ${status}${event === null ? '' : ` ${event}`}`,
    ]);
  },
  /** From the archives of all agents; one that cannot be read has none to suggest. */
  'memory:session': async ({ words, context, loaded }) => {
    if (!words.includes('sessions')) return [];
    const { archivedTitles } = await import('../engine/memory/sessions/index.js');
    const agents = loaded === undefined ? [] : resolveAgents(loaded, context);
    return agents.flatMap((agent) => {
      try {
        return archivedTitles({ agent }, context).slice(0, MOST_LISTED);
      } catch {
        return [];
      }
    });
  },
  'dream:sweep': fromDreams(({ sweeps }) =>
    sweeps.list(MOST_LISTED).map(({ id, day, trigger }) => [id, `${trigger}, ${day}`]),
  ),
  'memory:undo:write': async (line) => {
    const { undoableWrites } = await import('../engine/notes/index.js');
    const list = fromDreams(({ writes }) =>
      undoableWrites(writes)
        .slice(0, MOST_LISTED)
        .map(({ id, path }) => [id, path]),
    );
    return list(line);
  },
  preset: async () => {
    const { PRESETS } = await import('../engine/webhooks/trigger-preset.js');
    return PRESETS.map(({ name, title }) => [name, title]);
  },
  action: async () => {
    const { ACTION_NAMES } = await import('../engine/flow-model/action-schemas.js');
    return ACTION_NAMES.map((name) => [name, 'action']);
  },
  flow: flowIds(),
  'flow:cancel:flow': flowIds(ACTIVE_FLOW_STATUSES),
  task: taskIds(),
  'task:cancel:task': taskIds(ACTIVE_TASK_STATUSES),
  notification: fromFlows(async ({ operator }) => {
    const { entries } = await operator.listNotifications({ limit: MOST_LISTED });
    return entries.map(({ seq, outcome, kind, target }) => [
      String(seq),
      `${outcome} ${kind} for ${target}`,
    ]);
  }),
  'notification:target': async ({ loaded }) => {
    const { notificationTargets } = await import('../engine/flows/index.js');
    if (loaded === undefined) return [];
    return notificationTargets(loaded.resolved).map(({ filter }) => [filter.id, 'target']);
  },
};

const MOST_LISTED = 50;
/** The workspace that the words choose, or the default agent's; undefined if there is none. */
function workspaceIn(
  words: readonly string[],
  loaded: LoadedConfig | undefined,
  context: EngineContext,
): string | undefined {
  const dir = valueIn(words, '--workspace', '-w');
  if (dir !== undefined) return typedPath(dir, context);
  if (loaded === undefined) return undefined;
  try {
    return resolveAgent(loaded, valueIn(words, '--agent', '-a'), context).workspaceDir;
  } catch {
    // An unknown agent; its error belongs to other commands.
    return undefined;
  }
}

/** The value of a flag among words that are still being typed. */
function valueIn(words: readonly string[], flag: string, char?: string): string | undefined {
  const at = words.findIndex((word) => word === flag || word === char);
  if (at !== -1) return words[at + 1];
  const joined = words.findLast((word) => word.startsWith(`${flag}=`));
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
