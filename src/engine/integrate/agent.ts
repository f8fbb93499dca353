import type { ConfigPath } from '../config/config-path.js';
import type { EngineContext } from '../context.js';
import type { EntryValue } from './edit/document-editor.js';

/** The agents that can be registered with, as people name them. */
export const AGENT_IDS = [
  'claude-code',
  'codex',
  'cursor',
  'gemini-cli',
  'opencode',
  'vscode',
] as const;

/** The id of an agent. */
export type AgentId = (typeof AGENT_IDS)[number];

/** For all folders of this person, or for one project folder. */
export type IntegrationScope = 'project' | 'user';

/** What tells where an agent keeps its files. */
export interface IntegrateWorld extends Pick<EngineContext, 'cwd' | 'env' | 'homeDir' | 'state'> {
  /** As `process.platform` says it. */
  readonly platform: string;
}

/** A command to be run without a shell. */
export interface ProgramCall {
  /** Absolute path of the program, then its arguments. */
  readonly words: readonly [string, ...string[]];
  /** Variables that it needs besides those of the agent. */
  readonly env: Readonly<Record<string, string>>;
}

/** How an agent writes a server of the Model Context Protocol into its configuration. */
export interface ServerFormat {
  readonly syntax: 'json' | 'toml';
  /** Absolute path of the file. */
  file(world: IntegrateWorld, scope: IntegrationScope): string;
  /** The objects that hold servers by name: all that the agent reads; new ones go into the first. */
  maps(data: unknown): readonly [ConfigPath, ...ConfigPath[]];
  entry(call: ProgramCall): { readonly [key: string]: EntryValue };
  /** The key of the variables inside an entry. */
  readonly envKey: string;
  /** The words that an entry runs; empty for one that runs nothing. */
  words(entry: Readonly<Record<string, unknown>>): readonly string[];
}

/** A command that an agent runs before each turn, and whose answer joins the turn. */
export interface HookFormat {
  /** Absolute path of the file, which is JSON. */
  file(world: IntegrateWorld, scope: IntegrationScope): string;
  /** The event before a turn; groups of commands are listed at `hooks.EVENT`. */
  readonly event: string;
  /** One command of a group. @param line for a shell; @param timeoutMs until the agent gives up */
  command(line: string, timeoutMs: number): { readonly [key: string]: EntryValue };
}

/** Why an agent cannot be given active memory. */
export interface NoHook {
  readonly why: string;
  /** What to do instead. */
  readonly instead: string;
}

/** All that svc knows of an agent. One file each, which names the source of what it says. */
export interface AgentFormat {
  readonly id: AgentId;
  readonly title: string;
  /** Absolute paths of which one is there when the agent is in use on this machine. */
  signs(world: IntegrateWorld): readonly string[];
  readonly server: ServerFormat;
  readonly hook: HookFormat | NoHook;
  /** What the agent replaces inside the values of its configuration, without a way to escape it. */
  readonly replaced: RegExp | undefined;
  /** What to do for the registration to be seen, and where to look whether it is. */
  readonly next: string;
}

/** Whether an agent can be given active memory. */
export function hasHook(hook: HookFormat | NoHook): hook is HookFormat {
  return 'event' in hook;
}
