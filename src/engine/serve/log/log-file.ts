import { join } from 'node:path';
import { type LoadedConfig, loadConfig, resolveConfiguredPath } from '../../config/index.js';
import { messageOf, SvcError, type Warning } from '../../errors/index.js';
import type { EngineContext } from '../../support/context.js';
import { readStateFile } from '../state-file.js';

function defaultLogFile(stateDir: string): string {
  return join(stateDir, 'logs', 'serve.log');
}

/** The absolute path of the log in a configuration. */
export function logFileOf({ loaded, context }: LogPlace): string {
  const { file } = loaded.resolved.logging;
  if (file === undefined) return defaultLogFile(context.state.stateDir);
  return resolveConfiguredPath(loaded, file, context);
}

interface LogPlace {
  readonly loaded: LoadedConfig;
  readonly context: EngineContext;
}

interface FoundLog {
  /** Absolute path; the file may not exist. */
  readonly file: string;
  /** Set if the configuration is invalid. */
  readonly warning?: Warning;
}

/**
 * Finds the log of the last instance, or else of the configuration. An invalid configuration falls back to the
 * default location, because the log may explain it.
 *
 * @param configFile from `--config`; then the last instance does not count
 */
export async function findLogFile(
  context: EngineContext,
  configFile: string | undefined,
): Promise<FoundLog> {
  const { stateDir } = context.state;
  const running = configFile === undefined ? readStateFile(stateDir)?.logFile : undefined;
  if (running != null) return { file: running };
  try {
    return { file: logFileOf({ loaded: await loadConfig(context, { configFile }), context }) };
  } catch (error) {
    if (!(error instanceof SvcError) || configFile !== undefined) throw error;
    return {
      file: defaultLogFile(stateDir),
      warning: {
        code: 'CONFIG_WARNING',
        message: `the configuration cannot be used: ${messageOf(error)}`,
        hint: 'run "svc config validate" to see every problem',
      },
    };
  }
}
