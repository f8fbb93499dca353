import { dirname, join } from 'node:path';
import { resolvePath } from '../../config/expand-path.js';
import type { LoadedConfig } from '../../config/index.js';
import type { EngineContext } from '../../context.js';

/** Where the log lies unless `logging.file` says otherwise. */
export function defaultLogFile(stateDir: string): string {
  return join(stateDir, 'logs', 'serve.log');
}

/** The absolute path of the log under a configuration. */
export function logFileOf({ loaded, context }: LogPlace): string {
  const { file } = loaded.resolved.logging;
  if (file === undefined) return defaultLogFile(context.state.stateDir);
  const base = loaded.file === undefined ? context.cwd : dirname(loaded.file);
  return resolvePath(file, base, context.homeDir);
}

interface LogPlace {
  readonly loaded: LoadedConfig;
  readonly context: EngineContext;
}
