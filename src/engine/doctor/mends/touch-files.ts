import { statSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { changeLines } from '../../text-diff.js';
import type { Mend } from '../finding.js';

/**
 * Sets the time of change of files to now. Not unasked: the time is the person's, and the clock may
 * be what is wrong.
 */
export function touchMend(files: readonly string[], nowMs: number): Mend {
  const shown = (ms: number): string => new Date(ms).toISOString();
  return {
    title: `set the time of change of ${files.length} files to now`,
    safe: false,
    diff: changeLines(
      files.map((file) => `${file}  ${shown(statSync(file).mtimeMs)}`),
      files.map((file) => `${file}  ${shown(nowMs)}`),
    ),
    changes: 'state',
    apply: async () => {
      for (const file of files) await utimes(file, nowMs / 1000, nowMs / 1000);
    },
  };
}
