import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { childEnvironment } from '../../../../child/child-environment.js';
import { findProgram } from '../../../../child/find-program.js';
import type { LoadedConfig } from '../../../../config/index.js';
import type { EngineContext } from '../../../../context.js';
import { SvcError } from '../../../../errors/index.js';
import { folderFailure, ToolFailure } from './tool-failure.js';

/** The external program, found and ready to be run with a place of its own. */
export interface Tool {
  /** Absolute path. */
  readonly program: string;
  /** All of its environment: it finds its configuration and its index in our folder alone. */
  readonly env: Readonly<Record<string, string>>;
  /** The folder it runs in: no `.qmd` of a project lies above the files that are searched there. */
  readonly cwd: string;
  /** Tells one installed release from the next: another program has another key. */
  readonly key: string;
}

/** Where the program of one agent keeps what it needs, below the agent's own folder. */
export interface ToolPlaces {
  /** The agent's folder for the program. */
  readonly dir: string;
  /** Its index; there is none before its first collection. */
  readonly indexFile: string;
}

/** The places below an agent's folder, as the program chooses them from its environment. */
export function toolPlaces(dir: string): ToolPlaces {
  return { dir, indexFile: join(dir, 'cache', 'qmd', 'index.sqlite') };
}

/** Settings of the program itself that a person may have made; no keys of providers. */
const OWN_SETTINGS = /^(?:QMD_|LLAMA_|GGML_|CUDA_|HF_|BUN_INSTALL|NVM_|https?_proxy$|no_proxy$)/iu;
/** They would lead it to another index than ours. */
const LEADS_AWAY: ReadonlySet<string> = new Set(['QMD_CONFIG_DIR', 'INDEX_PATH']);

/**
 * Looks for the program and makes its folders; runs nothing.
 *
 * @param command a path or a name, as configured; may stand in quotes
 * @throws ToolFailure BACKEND_UNAVAILABLE
 */
export function openTool(
  command: string,
  dir: string,
  context: EngineContext,
  loaded: Pick<LoadedConfig, 'file'>,
): Tool {
  const program = find(unquoted(command), context, loaded);
  const config = join(dir, 'config');
  const cache = join(dir, 'cache');
  const key = keyOf(program, [join(config, 'qmd'), join(cache, 'qmd')]);
  const own = Object.entries(context.env).flatMap(([name, value]) =>
    value !== undefined && OWN_SETTINGS.test(name) && !LEADS_AWAY.has(name)
      ? [[name, value] as const]
      : [],
  );
  const env = childEnvironment(context.env, {
    ...Object.fromEntries(own),
    XDG_CONFIG_HOME: config,
    QMD_CONFIG_DIR: join(config, 'qmd'),
    XDG_CACHE_HOME: cache,
    NO_COLOR: '1',
  });
  return { program, env, cwd: dir, key };
}

/** Makes its folders. @throws ToolFailure where they cannot be made, or it is gone */
function keyOf(program: string, folders: readonly string[]): string {
  try {
    for (const folder of folders) mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { mtimeMs, size, ino } = statSync(program);
    return `${program}:${ino}:${size}:${mtimeMs}`;
  } catch (error) {
    throw folderFailure(error) ?? error;
  }
}

function find(command: string, context: EngineContext, loaded: Pick<LoadedConfig, 'file'>): string {
  try {
    return findProgram(command, context, loaded);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw new ToolFailure(
      'BACKEND_UNAVAILABLE',
      `the external search program cannot be run: ${error.message}`,
      'install it (npm install -g @tobilu/qmd), or set memory.ext.command to its absolute path',
    );
  }
}

function unquoted(command: string): string {
  const trimmed = command.trim();
  return /^(["'])(?<inside>.+)\1$/u.exec(trimmed)?.groups?.['inside'] ?? trimmed;
}
