import { type ConfigPath, isRecord, valueAt } from '../config/config-path.js';
import { isSameData } from '../config/same-data.js';
import {
  type AgentFormat,
  type HookFormat,
  hasHook,
  type ProgramCall,
  type ServerFormat,
} from './agent.js';
import type { EntryValue } from './edit/document-editor.js';
import { isOurScript, PLACES, type ProgramFacts, serverScript } from './program.js';
import { shellLine } from './shell-line.js';

/** What a registration consists of. */
export type EntryPart = 'hook' | 'server';

/** An entry that is in a file. */
export interface FoundEntry {
  /** What goes when it is removed. */
  readonly path: ConfigPath;
  /** The object whose keys say how svc is run. */
  readonly keysAt: ConfigPath;
  /** Whether it runs svc, as far as can be seen. */
  readonly isOurs: boolean;
  /** The script that it runs `mcp` of; undefined for anything else. */
  readonly script?: string | undefined;
  /** The keys to set for it to be as it should; those that are undefined go. */
  readonly differing: Readonly<Record<string, EntryValue | undefined>>;
}

/** One entry that svc puts into a file of an agent. */
export interface EntrySpec {
  readonly part: EntryPart;
  /** How receipts and people call it. */
  readonly key: string;
  find(data: unknown): FoundEntry | undefined;
  /** Where it goes when it is not there. */
  placeFor(data: unknown): ConfigPath;
  readonly value: EntryValue;
}

/** The entry of the server. @param name under which the agent lists it */
export function serverEntry(
  format: ServerFormat,
  name: string,
  call: ProgramCall,
  facts: ProgramFacts,
): EntrySpec {
  const value = format.entry(call);
  return {
    part: 'server',
    key: `server ${name}`,
    value,
    placeFor: (data) => [...format.maps(data)[0], name],
    find(data) {
      for (const map of format.maps(data)) {
        const path = [...map, name];
        const entry = valueAt(data, path);
        if (!isRecord(entry)) continue;
        const script = serverScript(format.words(entry));
        return {
          path,
          keysAt: path,
          script,
          isOurs: isOurScript(script, facts),
          differing: differingKeys(entry, value, format.envKey),
        };
      }
      return undefined;
    },
  };
}

/** The entry of active memory: a command that the agent runs before each turn. */
export function hookEntry(
  id: AgentFormat['id'],
  format: HookFormat,
  call: ProgramCall,
  timeoutMs: number,
): EntrySpec {
  const command = format.command(shellLine(call), timeoutMs);
  const list = ['hooks', format.event];
  const ours = new RegExp(`\\bmemory recall --hook ${id}(?: |$)`, 'u');
  return {
    part: 'hook',
    key: `hook ${format.event}`,
    value: { hooks: [command] },
    placeFor: (data) => {
      const groups = valueAt(data, list);
      return [...list, Array.isArray(groups) ? groups.length : 0];
    },
    find(data) {
      const groups = valueAt(data, list);
      for (const [group, item] of (Array.isArray(groups) ? groups : []).entries()) {
        const commands = isRecord(item) && Array.isArray(item['hooks']) ? item['hooks'] : [];
        const at = commands.findIndex((entry) => ours.test(String(valueAt(entry, ['command']))));
        const entry: unknown = commands[at];
        if (!isRecord(entry)) continue;
        const keysAt = [...list, group, 'hooks', at];
        return {
          // A group that holds nothing else goes with it.
          path: commands.length === 1 ? [...list, group] : keysAt,
          keysAt,
          isOurs: true,
          differing: differingKeys(entry, command, undefined),
        };
      }
      return undefined;
    },
  };
}

/** The entries of a registration, each with the file it belongs to. */
export interface PlacedSpec {
  readonly spec: EntrySpec;
  /** Absolute. */
  readonly file: string;
  readonly syntax: ServerFormat['syntax'];
}

/** What names the entries of an agent, apart from how svc is run. */
export interface EntryCalls {
  readonly name: string;
  readonly server: ProgramCall;
  /** Undefined where the hook is not asked for. */
  readonly hook: { readonly call: ProgramCall; readonly timeoutMs: number } | undefined;
}

/** The entries that are asked for, in the order in which they are written. */
export function entrySpecs(
  agent: AgentFormat,
  files: { readonly server: string; readonly hook: string | undefined },
  calls: EntryCalls,
  facts: ProgramFacts,
): readonly PlacedSpec[] {
  const { server, hook, id } = agent;
  const specs: PlacedSpec[] = [
    {
      spec: serverEntry(server, calls.name, calls.server, facts),
      file: files.server,
      syntax: server.syntax,
    },
  ];
  if (calls.hook !== undefined && files.hook !== undefined && hasHook(hook)) {
    const { call, timeoutMs } = calls.hook;
    specs.push({ spec: hookEntry(id, hook, call, timeoutMs), file: files.hook, syntax: 'json' });
  }
  return specs;
}

/**
 * What has to be set in an entry for it to say what is wanted. Keys of the person's own stay, and so
 * do variables; those of svc that are not wanted any more go.
 */
function differingKeys(
  entry: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, EntryValue>>,
  envKey: string | undefined,
): Readonly<Record<string, EntryValue | undefined>> {
  const target: Record<string, EntryValue | undefined> = { ...wanted };
  if (envKey !== undefined) target[envKey] = mergedEnv(entry[envKey], wanted[envKey]);
  return Object.fromEntries(
    Object.entries(target).filter(([key, value]) => !isSameData(entry[key], value)),
  );
}

function mergedEnv(
  written: unknown,
  wanted: EntryValue | undefined,
): Readonly<Record<string, EntryValue>> | undefined {
  const places: readonly string[] = PLACES;
  const kept = Object.entries(isRecord(written) ? written : {}).flatMap(([name, value]) =>
    places.includes(name) || typeof value !== 'string' ? [] : [[name, value] as const],
  );
  const ours = isRecord(wanted) ? Object.entries(wanted) : [];
  const merged = Object.fromEntries([
    ...kept,
    ...ours.map(([name, value]) => [name, String(value)]),
  ]);
  const isEmpty = Object.keys(merged).length === 0;
  return isEmpty && (written === undefined || hasOnly(written, places)) ? undefined : merged;
}

/** Whether an object holds some of these keys and no others; an empty one is the person's own. */
function hasOnly(value: unknown, keys: readonly string[]): boolean {
  const written = isRecord(value) ? Object.keys(value) : [];
  return written.length > 0 && written.every((key) => keys.includes(key));
}
