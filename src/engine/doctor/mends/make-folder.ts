import { mkdir } from 'node:fs/promises';
import { changeLines } from '../../text-diff.js';
import type { Mend } from '../finding.js';

/** Makes a folder for its owner alone, and those above it. */
export function folderMend(path: string): Mend {
  return {
    title: `make the folder ${path}`,
    safe: true,
    diff: changeLines([], [`folder  ${path}`]),
    changes: 'state',
    apply: async () => {
      await mkdir(path, { recursive: true, mode: 0o700 });
    },
  };
}
