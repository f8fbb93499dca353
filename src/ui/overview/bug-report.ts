import type { BugReport } from '../../engine/overview/bug-report.js';
import { formatBytes } from '../format.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';
import { alignRows } from '../table.js';

/** What was written, and what is in it. */
export function renderBugReport({ file, bytes, entries }: BugReport, style: Style): string {
  const rows = entries.map(({ name, holds, bytes: size, error }) => [
    `  ${safeLine(name)}`,
    formatBytes(size),
    safeLine(error === null ? holds : `could not be made: ${error}`),
  ]);
  return [
    `wrote ${style.bold(safeLine(file))} (${formatBytes(bytes)})`,
    ...alignRows(rows, ['left', 'right', 'left']),
    'No secret and nothing of your notes is in it. Look into it all the same before you send it.',
    '',
  ].join('\n');
}
