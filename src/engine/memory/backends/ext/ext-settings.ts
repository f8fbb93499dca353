import { join, resolve } from 'node:path';
import type { LoadedConfig, ResolvedAgent } from '../../../config/index.js';
import type { EngineContext } from '../../../support/context.js';
import { resolveConfiguredPath } from '../../../support/paths.js';
import { UNIT_MS } from '../../../support/time.js';
import { type Collection, collectionsOf } from './collections.js';
import type { ExtMode } from './tool/ask-program.js';

/** `memory.ext` for one agent, with absolute paths and durations in milliseconds. */
export type ExtSettings = Readonly<ReturnType<typeof extSettings>>;

export function extSettings(
  agent: ResolvedAgent,
  context: Pick<EngineContext, 'cwd' | 'homeDir' | 'state'>,
  loaded: Pick<LoadedConfig, 'file' | 'resolved'>,
  mode: ExtMode = loaded.resolved.memory.ext.searchMode,
) {
  const { ext } = loaded.resolved.memory;
  const dir = join(context.state.stateDir, 'agents', agent.id, 'qmd');
  const configured = ext.sessions.exportDir;
  const exportDir =
    configured === undefined
      ? join(dir, 'sessions')
      : resolveConfiguredPath(loaded, ofAgent(configured, agent.id), context);
  const { interval, embedInterval, ...update } = ext.update;
  return {
    command: ext.command,
    mode,
    /** Custom name of the program's MCP search tool. */
    searchTool: ext.searchTool,
    /** The agent's folder for the program. */
    dir,
    workspaceDir: resolve(agent.workspaceDir),
    sessions: { ...ext.sessions, exportDir },
    limits: ext.limits,
    update: {
      ...update,
      /** 0 for never. */
      intervalMs: milliseconds(interval),
      /** 0 for never. */
      embedIntervalMs: milliseconds(embedInterval),
    },
    /** Evaluated each time, because folders come and go. */
    collections: (): readonly Collection[] =>
      collectionsOf({ agent, ext, exportDir, homeDir: context.homeDir }),
  };
}

/** Agents never share an export folder: one would find the other's conversations. */
function ofAgent(exportDir: string, agentId: string): string {
  const token = '{agentId}';
  return exportDir.includes(token)
    ? exportDir.replaceAll(token, agentId)
    : join(exportDir, agentId);
}

/** A duration that the schema has validated; `0` is never. */
export function milliseconds(duration: string): number {
  const match = /^(\d+)(ms|s|m|h|d)?$/u.exec(duration);
  return Number(match?.[1] ?? 0) * (UNIT_MS[match?.[2] ?? ''] ?? 0);
}
