import { statSync } from 'node:fs';
import { join } from 'node:path';
import { childEnvironment, findProgram } from '../../../../child/program.js';
import type { LoadedConfig } from '../../../../config/index.js';
import {
  isSystemError,
  messageOf,
  SvcError,
  type Warning,
  type WarningCode,
} from '../../../../errors/index.js';
import type { EngineContext } from '../../../../support/context.js';
import { makeFolders } from '../../../../support/files.js';

/** The external program, found and ready to run with its own folders. */
export interface Tool {
  /** Absolute path. */
  readonly program: string;
  /** Its whole environment: its configuration and index are in our folder only. */
  readonly env: Readonly<Record<string, string>>;
  /** Its working folder, outside any project with a `.qmd`. */
  readonly cwd: string;
  /** Identifies the installed release: another program has another key. */
  readonly key: string;
}

/** The program's index, at the path that it derives from its environment; created with its first collection. */
export function toolIndexFile(dir: string): string {
  return join(dir, 'cache', 'qmd', 'index.sqlite');
}

/** Settings of the program that a user may have made; no provider keys. */
const OWN_SETTINGS = /^(?:QMD_|LLAMA_|GGML_|CUDA_|HF_|BUN_INSTALL|NVM_|https?_proxy$|no_proxy$)/iu;
/** These would point it to another index. */
const INDEX_SETTINGS: ReadonlySet<string> = new Set(['QMD_CONFIG_DIR', 'INDEX_PATH']);

/**
 * Finds the program and creates its folders; runs nothing.
 *
 * @param command a path or a name, as configured; may be quoted
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
    value !== undefined && OWN_SETTINGS.test(name) && !INDEX_SETTINGS.has(name)
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

/** Creates its folders. @throws ToolFailure when they cannot be created, or the program is gone */
function keyOf(program: string, folders: readonly string[]): string {
  try {
    for (const folder of folders) makeFolders(folder);
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

/** Why the external program gave no answer. */
export const TOOL_FAILURES = [
  'BACKEND_FAILED',
  'BACKEND_TIMEOUT',
  'BACKEND_UNAVAILABLE',
  'EMBEDDINGS_PENDING',
] as const satisfies readonly WarningCode[];
type ToolFailureCode = (typeof TOOL_FAILURES)[number];

/** The external program gave no answer. Expected: the built-in engine answers instead. */
export class ToolFailure extends Error {
  readonly code: ToolFailureCode;
  readonly hint: string;

  constructor(code: ToolFailureCode, message: string, hint: string) {
    super(message);
    this.name = 'ToolFailure';
    this.code = code;
    this.hint = hint;
  }
}

/** The program, or why it cannot be used. @param open throws ToolFailure */
export function toolOrFailure(open: () => Tool): Tool | ToolFailure {
  try {
    return open();
  } catch (error) {
    if (error instanceof ToolFailure) return error;
    throw error;
  }
}

/**
 * Turns an error in the program's own folder into its failure: the built-in engine is not affected.
 *
 * @returns undefined for anything else
 */
export function folderFailure(error: unknown): ToolFailure | undefined {
  if (!isSystemError(error)) return undefined;
  return new ToolFailure(
    'BACKEND_FAILED',
    `the folder of the external search program cannot be used: ${messageOf(error)}`,
    'check its permissions and free space, or run "svc config doctor"',
  );
}

/** The failure as the user sees it next to the built-in engine's answer. */
export function failureWarning({ code, message, hint }: ToolFailure): Warning {
  return { code, message: `${message}; using the built-in engine`, hint };
}
