import picomatch from 'picomatch';
import { messageOf, SvcError } from '../../errors/index.js';

/**
 * A test for displayed paths: `memory/**`, `*.md` (a pattern without a slash matches file names
 * anywhere), `!memory/old/**`.
 *
 * @throws SvcError USAGE for what is no pattern
 */
export function createPathFilter(glob: string): (path: string) => boolean {
  try {
    return picomatch(glob, { dot: true, matchBase: !glob.includes('/') });
  } catch (cause) {
    throw new SvcError('USAGE', `the path pattern cannot be used: ${messageOf(cause)}`, {
      hint: "give a pattern such as 'memory/**' or '*.md'",
      cause,
    });
  }
}
