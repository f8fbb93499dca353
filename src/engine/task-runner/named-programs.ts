import { findProgram } from '../child/find-program.js';
import type { ConfigPath } from '../config/config-path.js';
import type { LoadedConfig } from '../config/index.js';
import type { EngineContext } from '../context.js';
import { SvcError } from '../errors/index.js';
import { RUNNABLE } from './runner-settings.js';

/** A program that the configuration names for tasks or notifications. */
export interface NamedProgram {
  /** Where its command is configured. */
  readonly path: ConfigPath;
  /** Its absolute path, or why there is none. */
  readonly found: string | SvcError;
}

/** Looks for every program that `flows` names. */
export function namedPrograms(
  context: EngineContext,
  loaded: LoadedConfig,
): readonly NamedProgram[] {
  const { runtimes, notify } = loaded.resolved.flows;
  const commands = [
    ...RUNNABLE.map((name) => ({
      path: ['flows', 'runtimes', name, 'command'],
      word: runtimes[name]?.command?.[0],
    })),
    { path: ['flows', 'notify', 'command'], word: notify.command?.[0] },
  ];
  return commands.flatMap(({ path, word }) =>
    word === undefined ? [] : [{ path, found: look(word, context, loaded) }],
  );
}

/** The first that is not there. */
export function missingProgram(context: EngineContext, loaded: LoadedConfig): SvcError | undefined {
  return namedPrograms(context, loaded)
    .map(({ found }) => found)
    .find((found) => found instanceof SvcError);
}

function look(word: string, context: EngineContext, loaded: LoadedConfig): string | SvcError {
  try {
    return findProgram(word, context, loaded);
  } catch (error) {
    if (error instanceof SvcError) return error;
    throw error;
  }
}
