import { messageOf, SvcError } from '../../errors/index.js';
import { createGlob } from '../../support/glob.js';

/**
 * A filter for displayed paths: `memory/**`, `*.md` (a pattern without a slash matches file names anywhere),
 * `!memory/old/**`.
 *
 * @throws SvcError USAGE for an invalid pattern
 */
export function createPathFilter(glob: string): (path: string) => boolean {
  try {
    const isMatch = createGlob(glob, { dot: true });
    if (glob.includes('/')) return isMatch;
    return (path) => isMatch(path.slice(path.lastIndexOf('/') + 1));
  } catch (cause) {
    throw new SvcError('USAGE', `invalid path pattern: ${messageOf(cause)}`, {
      hint: "use a pattern such as 'memory/**', '*.md' or '{notes,wiki}/*.md'",
      cause,
    });
  }
}
