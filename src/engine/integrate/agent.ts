import { existsSync } from 'node:fs';
import type { ConfigPath } from '../config/index.js';
import type { EngineContext } from '../support/context.js';
import type { EntryValue } from './edit/document-editor.js';

/** The agents that svc can register with. */
export const AGENT_IDS = [
  'claude-code',
  'codex',
  'copilot-cli',
  'cursor',
  'gemini-cli',
  'kilo-code',
  'opencode',
  'qwen-code',
  'vscode',
] as const;

export type AgentId = (typeof AGENT_IDS)[number];

/** For all folders of the user, or for one project folder. */
export type IntegrationScope = 'project' | 'user';

/** What integrating with an agent needs to know of this machine. */
export interface IntegrateContext extends EngineContext {
  /** As in `process.platform`. */
  readonly platform: string;
}

/** A command that runs without a shell. */
export interface ProgramCall {
  /** Absolute path of the program, then its arguments. */
  readonly words: readonly [string, ...string[]];
  /** Variables in addition to those of the agent. */
  readonly env: Readonly<Record<string, string>>;
}

/** A server that somebody else runs, reached with streamable HTTP. */
export interface RemoteServer {
  readonly url: string;
  /** The variable of the agent's environment that has the bearer token; the token itself is never written. */
  readonly tokenEnv: string | undefined;
}

/** How an agent reaches a server. */
export type ServerCall = ProgramCall | RemoteServer;

/** Whether a server is reached over the network. */
export function isRemote(call: ServerCall): call is RemoteServer {
  return 'url' in call;
}

/** JSON with comments and trailing commas, JSON with comments only, TOML, or a script that svc writes as a whole. */
export type FileSyntax = 'json' | 'json-without-trailing-commas' | 'script' | 'toml';

/** How an agent configures MCP servers. */
export interface ServerFormat {
  readonly syntax: FileSyntax;
  /** Absolute path of the file. */
  file(context: IntegrateContext, scope: IntegrationScope): string;
  /** The objects with servers by name that the agent reads; new servers go into the first. */
  maps(data: unknown): readonly [ConfigPath, ...ConfigPath[]];
  entry(call: ProgramCall): { readonly [key: string]: EntryValue };
  remote(server: RemoteServer): { readonly [key: string]: EntryValue };
  /** The key of the URL in a remote entry. */
  readonly urlKey: string;
  /** The key of the variables inside an entry. */
  readonly envKey: string;
  /** The command line of an entry; empty for one without a command. */
  words(entry: Readonly<Record<string, unknown>>): readonly string[];
}

/** What svc does in a hook: `recall` adds memory to a turn, `capture` keeps what was decided in the conversation. */
export type HookKind = 'capture' | 'recall';

export type HookFormat = CommandHooks | PluginHook;

/** Commands that an agent runs at some events, listed at `hooks.EVENT`. */
export interface CommandHooks {
  readonly syntax: 'json' | 'json-without-trailing-commas';
  /** Absolute path of the file. */
  file(context: IntegrateContext, scope: IntegrationScope): string;
  readonly events: {
    /** The event before a turn, whose output is added to the turn. */
    readonly recall: readonly string[] | NoRecall;
    /** The events before a compaction and at the end of a session; none if svc cannot read its transcripts. */
    readonly capture: readonly string[];
  };
  /** What is listed: commands, or groups of them in `hooks`. */
  readonly listItems: 'commands' | 'groups';
  /** The longest timeouts of events at which the agent warns of a longer one. */
  readonly longestMs?: Readonly<Record<string, number>>;
  /** The `version` that a file must have. */
  readonly version?: number;
  command(run: HookRun): { readonly [key: string]: EntryValue };
}

/** A plugin that captures, in a file of its own. */
export interface PluginHook {
  readonly syntax: 'script';
  /** Absolute path of the file. */
  file(context: IntegrateContext, scope: IntegrationScope): string;
  readonly events: { readonly recall: NoRecall };
  script(call: ProgramCall): string;
  /** The words of the command that a script of svc runs; undefined for any other script. */
  words(script: string): readonly string[] | undefined;
  /** Why the agent would not load the plugin, by the data of its server file. */
  whyNot(data: unknown): string | undefined;
}

/** What an agent runs in its hooks of a kind. */
export interface HookRun {
  readonly kind: HookKind;
  readonly call: ProgramCall;
  readonly timeoutMs: number;
}

/** Why an agent does not support active memory. */
export interface NoRecall {
  readonly why: string;
  readonly instead: string;
}

/** What svc knows of an agent. */
export interface AgentFormat {
  readonly id: AgentId;
  readonly title: string;
  /** Absolute paths; one of them exists when the agent is used on this machine. */
  detectPaths(context: IntegrateContext): readonly string[];
  readonly server: ServerFormat;
  /** An agent without hooks that svc can use does not capture either. */
  readonly hook: HookFormat | NoRecall;
  /** Matches what the agent expands in values of its configuration, without a way to escape it. */
  readonly expansion: RegExp | undefined;
  /** How to make the agent load the registration, and how to check that it did. */
  readonly nextStep: string;
}

/** Whether an agent has hooks that svc can use. */
export function hasHook(hook: HookFormat | NoRecall): hook is HookFormat {
  return 'events' in hook;
}

/** Whether an agent supports capturing what was decided. */
export function canCapture({ hook }: Pick<AgentFormat, 'hook'>): boolean {
  return hasHook(hook) && (hook.syntax === 'script' || hook.events.capture.length > 0);
}

/** Why an agent does not support active memory; undefined if it does. */
export function noRecall({ hook }: Pick<AgentFormat, 'hook'>): NoRecall | undefined {
  const recall = hasHook(hook) ? hook.events.recall : hook;
  return 'why' in recall ? recall : undefined;
}

/** Whether an agent is used on this machine. */
export function isDetected({ detectPaths }: AgentFormat, context: IntegrateContext): boolean {
  return detectPaths(context).some((path) => existsSync(path));
}
