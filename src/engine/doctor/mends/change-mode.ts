import { lstatSync } from 'node:fs';
import { constants, open } from 'node:fs/promises';
import { SvcError } from '../../errors/index.js';
import { changeLines } from '../../text-diff.js';
import type { Mend } from '../finding.js';

/** Permissions as people write them: `0600`. */
export function modeText(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}

/** Takes permissions of others away from a file or folder; never follows a link. */
export function modeMend(path: string, from: number, to: number): Mend {
  return {
    title: `set the mode of ${path} to ${modeText(to)}`,
    safe: true,
    diff: changeLines([`mode ${modeText(from)}  ${path}`], [`mode ${modeText(to)}  ${path}`]),
    changes: 'state',
    apply: async () => {
      // Of what was opened, so that no other file can be put in its place in between.
      const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
      try {
        const { mode } = await handle.stat();
        if (modeText(mode) === modeText(to)) return;
        if (modeText(mode) !== modeText(from)) throw outdated(path, mode);
        await handle.chmod(to);
      } finally {
        await handle.close();
      }
    },
  };
}

/** The permissions of what is at a path, a link itself; undefined where there is nothing. */
export function modeAt(
  path: string,
): { readonly mode: number; readonly uid: number; readonly isLink: boolean } | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  return { mode: stats.mode & 0o7777, uid: stats.uid, isLink: stats.isSymbolicLink() };
}

function outdated(path: string, mode: number): SvcError {
  return new SvcError('MEND_OUTDATED', `${path} has mode ${modeText(mode)} by now`, {
    hint: 'run svc config doctor again',
  });
}
