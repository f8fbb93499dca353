import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { resolvePath } from '../config/expand-path.js';
import type { LoadedConfig } from '../config/index.js';
import type { EngineContext } from '../context.js';
import { SvcError } from '../errors/index.js';

/**
 * The program that the first word of a configured command means: a path, `~` expanded and relative to
 * the configuration file, or a name that is looked for on the PATH.
 *
 * @returns its absolute path
 * @throws SvcError RUNTIME_PROGRAM_MISSING
 */
export function findProgram(
  word: string,
  context: EngineContext,
  loaded: Pick<LoadedConfig, 'file'>,
): string {
  const candidates = candidatesFor(word, context, loaded);
  const program = candidates.find(isProgram);
  if (program !== undefined) return program;
  const isPath = candidates.length === 1 && hasFolder(word);
  const where = isPath ? (candidates[0] ?? word) : `${word} on the PATH`;
  throw new SvcError('RUNTIME_PROGRAM_MISSING', `there is no program ${where}`, {
    hint: isPath
      ? 'mend the path, or make the file executable with chmod u+x'
      : 'install it, or give its absolute path; a service may have a shorter PATH than your shell',
  });
}

/** Any folder in a configured path is absolute, or lies below that of the configuration file. */
export function resolveFromConfig(
  path: string,
  context: EngineContext,
  { file }: Pick<LoadedConfig, 'file'>,
): string {
  return resolvePath(path, file === undefined ? context.cwd : dirname(file), context.homeDir);
}

function candidatesFor(
  word: string,
  context: EngineContext,
  loaded: Pick<LoadedConfig, 'file'>,
): readonly string[] {
  if (hasFolder(word)) return [resolveFromConfig(word, context, loaded)];
  const folders = (context.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, word));
}

function hasFolder(word: string): boolean {
  return /[\\/]/u.test(word) || word === '~';
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
