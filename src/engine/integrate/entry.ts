import { type ConfigPath, isSameData, valueAt } from '../config/index.js';
import { STATE_VARIABLES } from '../support/context.js';
import { isRecord } from '../support/text.js';
import {
  type AgentFormat,
  type CommandHooks,
  type HookFormat,
  type HookKind,
  type HookRun,
  isRemote,
  type PluginHook,
  type ServerCall,
  type ServerFormat,
} from './agent.js';
import { type EntryValue, SCRIPT_PATH, scriptIn } from './edit/document-editor.js';
import type { IntegrateOutput } from './output-schemas.js';
import { isOurScript, type ProgramFacts, serverScript, shellWords } from './program.js';

/** A change of an entry; the values of other entries are hidden in it. */
export type EntryChange = Omit<IntegrateOutput['changes'][number], 'file'>;

/** An entry that a file has. */
export interface FoundEntry {
  /** What is removed with the entry. */
  readonly path: ConfigPath;
  /** The object with the command of svc. */
  readonly objectPath: ConfigPath;
  /** Whether it appears to run svc. */
  readonly isOurs: boolean;
  /** Of a hook: the command that it runs. */
  readonly words?: readonly string[];
  /** By which its receipt is recognized: the script whose `mcp` command it runs, or its URL. */
  readonly scriptOrUrl?: string | undefined;
  /** The keys to set in that object; those with undefined are removed. */
  readonly updates: Readonly<Record<string, EntryValue | undefined>>;
}

/** An entry that svc adds to a file of an agent. */
export interface EntrySpec {
  readonly part: EntryChange['part'];
  /** Its name in receipts and messages. */
  readonly key: string;
  find(data: unknown): FoundEntry | undefined;
  /** Where to add it. */
  pathFor(data: unknown): ConfigPath;
  readonly value: EntryValue;
  /** Of a remote server. */
  readonly url?: string | undefined;
  /** For an entry that other entries need: whether none of those is left. It is then removed, if svc added it. */
  readonly isUnneeded?: (data: unknown) => boolean;
}

/** The key of a server in receipts. @param name its name in the agent */
export function serverKey(name: string): string {
  return `server ${name}`;
}

/** The entry of the server. @param name its name in the agent */
export function serverEntry(
  format: ServerFormat,
  name: string,
  call: ServerCall,
  facts: ProgramFacts,
): EntrySpec {
  const value = isRemote(call) ? format.remote(call) : format.entry(call);
  const otherForm = isRemote(call) ? format.entry(ANY_CALL) : format.remote(ANY_REMOTE);
  const obsolete = Object.keys(otherForm).filter((key) => !(key in value));
  return {
    part: 'server',
    key: serverKey(name),
    value,
    url: isRemote(call) ? call.url : undefined,
    pathFor: (data) => [...format.maps(data)[0], name],
    find(data) {
      for (const map of format.maps(data)) {
        const path = [...map, name];
        const found = valueAt(data, path);
        if (found === undefined) continue;
        // Anything else is somebody else's entry; adding another would repeat the key.
        const entry = isRecord(found) ? found : {};
        const script = serverScript(format.words(entry));
        const envKey = isRemote(call) ? undefined : format.envKey;
        return {
          path,
          objectPath: path,
          scriptOrUrl: script ?? urlOf(format, entry),
          isOurs: isOurScript(script, facts),
          updates: {
            ...keyUpdates(entry, value, envKey),
            ...Object.fromEntries(
              obsolete.flatMap((key) => (key in entry ? [[key, undefined] as const] : [])),
            ),
          },
        };
      }
      return undefined;
    },
  };
}

/* To find out which keys only the other form has. */
const ANY_CALL = { words: ['node', 'svc'], env: { SVC_HOME: '/' } } as const;
const ANY_REMOTE = { url: 'https://localhost/mcp', tokenEnv: 'TOKEN' } as const;

/** The URL of a remote entry. */
export function urlOf(
  { urlKey }: ServerFormat,
  entry: Readonly<Record<string, unknown>>,
): string | undefined {
  const url = entry[urlKey];
  return typeof url === 'string' ? url : undefined;
}

/** What the command line of a hook that runs svc contains, whoever added it. */
const COMMANDS: Readonly<Record<HookKind, string>> = {
  recall: 'memory recall --hook',
  capture: 'memory capture --agent-hook',
};

/** The entries of a kind of hook: the same command line at each of its events. */
export function hookEntries(
  id: AgentFormat['id'],
  format: HookFormat,
  run: HookRun,
): readonly EntrySpec[] {
  if (format.syntax === 'script') return run.kind === 'capture' ? [scriptEntry(format, run)] : [];
  const commandPattern = new RegExp(`\\b${COMMANDS[run.kind]}[ =]${id}(?: |$)`, 'u');
  const events = format.events[run.kind];
  if ('why' in events) return [];
  return events.map((event) => {
    const listPath = ['hooks', event];
    const longestMs = format.longestMs?.[event] ?? run.timeoutMs;
    const command = format.command({ ...run, timeoutMs: Math.min(run.timeoutMs, longestMs) });
    return {
      part: HOOK_PARTS[run.kind],
      key: `hook ${event}`,
      value: format.listItems === 'commands' ? command : { hooks: [command] },
      pathFor: (data) => [...listPath, listIn(data, listPath).length],
      find: (data) =>
        findHook(data, { listPath, listItems: format.listItems, commandPattern, command }),
    };
  });
}

/** A file of svc as a whole. */
function scriptEntry({ script, words }: PluginHook, { kind, call }: HookRun): EntrySpec {
  const value = script(call);
  return {
    part: HOOK_PARTS[kind],
    key: 'plugin',
    value,
    pathFor: () => SCRIPT_PATH,
    find: (data) => {
      const written = scriptIn(data);
      const run = written === undefined ? undefined : words(written);
      if (run === undefined) return undefined;
      const updates = written === value ? {} : { script: value };
      return { path: SCRIPT_PATH, objectPath: [], isOurs: true, updates, words: run };
    },
  };
}

/** The version of a file that has none; any other version is left to the agent. */
function versionEntry(value: number): EntrySpec {
  const path = ['version'];
  return {
    part: 'capture',
    key: 'version',
    value,
    pathFor: () => path,
    find: (data) =>
      valueAt(data, path) === undefined
        ? undefined
        : { path, objectPath: [], isOurs: true, updates: {} },
    isUnneeded: (data) => Object.keys(Object(valueAt(data, ['hooks']))).length === 0,
  };
}

/** The parts of a change that are hooks, by what they do. */
export const HOOK_PARTS = { recall: 'hook', capture: 'capture' } as const;

interface HookPattern extends Pick<CommandHooks, 'listItems'> {
  /** Where the hooks of an event are listed. */
  readonly listPath: ConfigPath;
  /** Matches the command line of a hook of svc. */
  readonly commandPattern: RegExp;
  /** What the hook should be. */
  readonly command: Readonly<Record<string, EntryValue>>;
}

function findHook(
  data: unknown,
  { listPath, listItems, commandPattern, command }: HookPattern,
): FoundEntry | undefined {
  const items = listIn(data, listPath).map((entry, at) => {
    const path = [...listPath, at];
    return { entry, path, objectPath: path };
  });
  const commands =
    listItems === 'commands' ? items : items.flatMap(({ path }) => groupedCommands(data, path));
  for (const { entry, ...paths } of commands) {
    const line = valueAt(entry, ['command']);
    if (!isRecord(entry) || typeof line !== 'string' || !commandPattern.test(line)) continue;
    const updates = keyUpdates(entry, command, undefined);
    return { ...paths, isOurs: true, words: shellWords(line), updates };
  }
  return undefined;
}

function groupedCommands(data: unknown, group: ConfigPath) {
  return listIn(data, [...group, 'hooks']).map((entry, at, { length }) => {
    const objectPath = [...group, 'hooks', at];
    // A group without other commands is removed as well.
    return { entry, path: length === 1 ? group : objectPath, objectPath };
  });
}

function listIn(data: unknown, path: ConfigPath): readonly unknown[] {
  const value = valueAt(data, path);
  return Array.isArray(value) ? value : [];
}

/** The entries of hooks, and what their file must have, in the order in which they are written. */
export function hookSpecs(
  id: AgentFormat['id'],
  hook: HookFormat,
  runs: readonly HookRun[],
): readonly EntrySpec[] {
  const specs = runs.flatMap((run) => hookEntries(id, hook, run));
  const version = hook.syntax === 'script' ? undefined : hook.version;
  return specs.length === 0 || version === undefined ? specs : [versionEntry(version), ...specs];
}

/**
 * The keys to set in an existing entry. Keys and variables that the user added stay; obsolete variables of
 * svc are removed.
 */
function keyUpdates(
  entry: Readonly<Record<string, unknown>>,
  target: Readonly<Record<string, EntryValue>>,
  envKey: string | undefined,
): Readonly<Record<string, EntryValue | undefined>> {
  const merged: Record<string, EntryValue | undefined> = { ...target };
  if (envKey !== undefined) merged[envKey] = mergedEnv(entry[envKey], target[envKey]);
  return Object.fromEntries(
    Object.entries(merged).filter(([key, value]) => !isSameData(entry[key], value)),
  );
}

/** The variables of an entry with those of svc; what else is in their place is for the agent to judge. */
function mergedEnv(written: unknown, target: EntryValue | undefined): EntryValue | undefined {
  const stateVariables: readonly string[] = STATE_VARIABLES;
  const variables = Object.entries(isRecord(written) ? written : {});
  const kept = variables.filter(([name]) => !stateVariables.includes(name));
  const ours = isRecord(target) ? Object.entries(target) : [];
  const merged = [...kept, ...ours];
  // Whoever wrote an empty object keeps it.
  if (merged.length === 0 && variables.length > 0) return undefined;
  return (merged.length === 0 ? written : Object.fromEntries(merged)) as EntryValue | undefined;
}
