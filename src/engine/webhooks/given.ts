import { messageOf, SvcError } from '../errors/index.js';

/**
 * Reads what a flag names: `@FILE`, or `-` for stdin.
 *
 * @param read reads a file; undefined reads stdin
 * @returns undefined when the flag contains the text itself
 * @throws SvcError USAGE if the file cannot be read
 */
export function readGiven<Content>(
  flag: string,
  given: string,
  read: (file: string | undefined) => Content,
  hint: string,
): Content | undefined {
  if (given !== '-' && !given.startsWith('@')) return undefined;
  try {
    return read(given === '-' ? undefined : given.slice(1));
  } catch (error) {
    throw new SvcError('USAGE', `${flag}: ${messageOf(error)}`, { hint, cause: error });
  }
}
