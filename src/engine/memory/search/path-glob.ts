import { messageOf, SvcError } from '../../errors/index.js';
import { createGlob } from '../../support/glob.js';

/**
 * A filter for displayed paths: `memory/**`, `*.md` (a pattern without a slash matches file names anywhere),
 * `!memory/old/**`. A plain path also matches what is below it: `memory/projects`. It ignores whether accents are
 * letters of their own, as in names that macOS writes. Of a file with several names, any may match;
 * with `!`, none may.
 *
 * @throws SvcError USAGE for an invalid pattern
 */
export function createPathFilter(pattern: string): (...names: readonly string[]) => boolean {
  const glob = pattern.normalize('NFC').replace(/^\.\//u, '');
  // No displayed path begins like that, so it would match nothing.
  if (glob.startsWith('/')) {
    const got = JSON.stringify(pattern.slice(0, 100));
    const hint = "use a path as in search results, such as memory/projects or 'memory/**'";
    const message = `a path pattern must be relative to the workspace (got ${got})`;
    throw new SvcError('USAGE', message, { hint });
  }
  const matches = globFor(glob);
  const isNamed = (path: string): boolean => {
    const name = glob.includes('/') ? path : path.slice(path.lastIndexOf('/') + 1);
    // A path as in search results can have signs of patterns in its names.
    return name === glob || matches(name);
  };
  const isBelow = belowFolder(glob);
  const matchesOne = (path: string): boolean => {
    const composed = path.normalize('NFC');
    return isNamed(composed) || isBelow(composed);
  };
  return glob.startsWith('!')
    ? (...names) => names.every(matchesOne)
    : (...names) => names.some(matchesOne);
}

function belowFolder(path: string): (path: string) => boolean {
  const folder = `${path.replace(/\/$/u, '')}/`;
  if (path.includes('/')) return (other) => other.startsWith(folder);
  return (other) => `/${other}`.includes(`/${folder}`);
}

function globFor(glob: string): (path: string) => boolean {
  try {
    return createGlob(glob, { dot: true });
  } catch (cause) {
    throw new SvcError('USAGE', `invalid path pattern: ${messageOf(cause)}`, {
      hint: "use a pattern such as 'memory/**', '*.md' or '{notes,wiki}/*.md'",
      cause,
    });
  }
}
