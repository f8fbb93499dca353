import { loadConfig } from '../../config/index.js';
import type { EngineContext } from '../../context.js';
import { messageOf, SvcError, type Warning } from '../../errors/index.js';
import { readStateFile } from '../state-file.js';
import { defaultLogFile, logFileOf } from './log-file.js';

/** Where the log lies. */
export interface FoundLog {
  /** Absolute path; nothing may be there. */
  readonly file: string;
  /** Set when the configuration could not be asked. */
  readonly warning?: Warning;
}

/**
 * Finds the log: that of the instance that runs, or was killed, else the one of the configuration. A
 * configuration that cannot be used is no reason to show nothing: the log may say why.
 *
 * @param configFile the file named by `--config`; then what runs elsewhere is not asked
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
        hint: 'svc config validate shows every fault in its place',
      },
    };
  }
}
