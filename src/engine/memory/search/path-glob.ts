import { messageOf, SvcError } from '../../errors/index.js';
import { createGlob } from '../../support/glob.js';

/**
 * A filter for displayed paths: `memory/**`, `*.md` (a pattern without a slash matches file names anywhere),
 * `!memory/old/**`. It ignores whether accents are letters of their own, as in names that macOS writes.
 *
 * @throws SvcError USAGE for an invalid pattern
 */
export function createPathFilter(glob: string): (path: string) => boolean {
  try {
    const matches = createGlob(glob.normalize('NFC'), { dot: true });
    const isMatch = (path: string): boolean => matches(path.normalize('NFC'));
    if (glob.includes('/')) return isMatch;
    return (path) => isMatch(path.slice(path.lastIndexOf('/') + 1));
  } catch (cause) {
    throw new SvcError('USAGE', `invalid path pattern: ${messageOf(cause)}`, {
      hint: "use a pattern such as 'memory/**', '*.md' or '{notes,wiki}/*.md'",
      cause,
    });
  }
}
