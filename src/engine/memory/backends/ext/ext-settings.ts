import { dirname, join, resolve } from 'node:path';
import { resolvePath } from '../../../config/expand-path.js';
import type { LoadedConfig, ResolvedAgent, ResolvedMemory } from '../../../config/index.js';
import type { EngineContext } from '../../../context.js';
import { type Collection, collectionsOf } from './collections.js';

/** Lexical, by vectors, or both with re-ranking (spec/memory-search §2.12). */
export type ExtMode = ResolvedMemory['ext']['searchMode'];

/** `memory.ext` for one agent: paths absolute, durations in milliseconds. */
export interface ExtSettings {
  readonly agentId: string;
  readonly command: string;
  readonly mode: ExtMode;
  /** Name of the program's search tool over MCP, when it has another one. */
  readonly searchTool: string | undefined;
  /** Absolute path of the agent's folder for the program. */
  readonly dir: string;
  /** Absolute path of the agent's workspace. */
  readonly workspaceDir: string;
  readonly sessions: {
    readonly enabled: boolean;
    /** Absolute path. */
    readonly exportDir: string;
    readonly retentionDays: number | undefined;
  };
  readonly limits: ResolvedMemory['ext']['limits'];
  readonly update: {
    /** 0 for never. */
    readonly intervalMs: number;
    readonly debounceMs: number;
    readonly onBoot: boolean;
    /** 0 for never. */
    readonly embedIntervalMs: number;
    readonly commandTimeoutMs: number;
    readonly updateTimeoutMs: number;
    readonly embedTimeoutMs: number;
  };
  /** As they are to be now; folders come and go. */
  readonly collections: () => readonly Collection[];
}

/** Settles `memory.ext` for one agent. */
export function extSettings(
  agent: ResolvedAgent,
  context: Pick<EngineContext, 'cwd' | 'homeDir' | 'state'>,
  loaded: Pick<LoadedConfig, 'file' | 'resolved'>,
  mode: ExtMode = loaded.resolved.memory.ext.searchMode,
): ExtSettings {
  const { ext } = loaded.resolved.memory;
  const dir = extDir(context.state.stateDir, agent.id);
  const base = loaded.file === undefined ? context.cwd : dirname(loaded.file);
  const { enabled, exportDir, retentionDays } = ext.sessions;
  const sessionsDir =
    exportDir === undefined
      ? join(dir, 'sessions')
      : resolvePath(ofAgent(exportDir, agent.id), base, context.homeDir);
  const { interval, embedInterval, ...update } = ext.update;
  return {
    agentId: agent.id,
    command: ext.command,
    mode,
    searchTool: ext.searchTool,
    dir,
    workspaceDir: resolve(agent.workspaceDir),
    sessions: { enabled, exportDir: sessionsDir, retentionDays },
    limits: ext.limits,
    update: {
      ...update,
      intervalMs: milliseconds(interval),
      embedIntervalMs: milliseconds(embedInterval),
    },
    collections: () =>
      collectionsOf({ agent, ext, exportDir: sessionsDir, homeDir: context.homeDir }),
  };
}

/** Agents never share a folder of conversations: one would find what the other said. */
function ofAgent(exportDir: string, agentId: string): string {
  const token = '{agentId}';
  return exportDir.includes(token)
    ? exportDir.replaceAll(token, agentId)
    : join(exportDir, agentId);
}

/** The folder that the program has to itself for one agent. */
function extDir(stateDir: string, agentId: string): string {
  return join(stateDir, 'agents', agentId, 'qmd');
}

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A duration of the configuration, whose form the schema has checked; `0` is never. */
export function milliseconds(duration: string): number {
  const match = /^(\d+)(ms|s|m|h|d)?$/u.exec(duration);
  return Number(match?.[1] ?? 0) * (UNIT_MS[match?.[2] ?? ''] ?? 0);
}
