import picomatch from 'picomatch';

/**
 * A test for displayed paths: `memory/**`, `*.md` (a pattern without a slash matches file names
 * anywhere), `!memory/old/**`.
 */
export function createPathFilter(glob: string): (path: string) => boolean {
  return picomatch(glob, { dot: true, matchBase: !glob.includes('/') });
}
