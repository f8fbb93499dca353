import { findProgram } from '../child/index.js';
import type { ConfigPath, LoadedConfig } from '../config/index.js';
import { SvcError } from '../errors/index.js';
import { notificationTargets } from '../flows/index.js';
import type { EngineContext } from '../support/context.js';
import { RUNNABLE } from './runner-settings.js';

/** A configured program for tasks or notifications. */
interface NamedProgram {
  /** Where its command is configured. */
  readonly path: ConfigPath;
  /** Its absolute path, or why it was not found. */
  readonly found: string | SvcError;
}

/** Finds every program configured in `flows`. */
export function namedPrograms(
  context: EngineContext,
  loaded: LoadedConfig,
): readonly NamedProgram[] {
  const { runtimes } = loaded.resolved.flows;
  const commands = [
    ...RUNNABLE.map((name) => ({
      path: ['flows', 'runtimes', name, 'command'],
      word: runtimes[name]?.command?.[0],
    })),
    ...notificationTargets(loaded.resolved).map(({ path, command }) => ({
      path: [...path, 'command'],
      word: command?.[0],
    })),
  ];
  return commands.flatMap(({ path, word }) =>
    word === undefined ? [] : [{ path, found: look(word, context, loaded) }],
  );
}

/** The first one that was not found. */
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
