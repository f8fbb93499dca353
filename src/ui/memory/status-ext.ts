import type { BackendStatus } from '../../engine/memory/backends/memory-backend.js';
import { formatCountOf, formatDuration, formatRelativeTime } from '../format.js';
import { safeLine } from '../safe-text.js';
import { shownPath } from '../shown-path.js';
import type { Style } from '../style.js';
import { alignRows } from '../table.js';
import type { StatusFact } from './status-embedding.js';

/** The external search program of an agent, and who answers. */
export function extFacts(
  { ext }: BackendStatus,
  {
    style,
    nowMs,
    homeDir,
  }: { readonly style: Style; readonly nowMs: number; readonly homeDir: string },
): readonly StatusFact[] {
  if (ext === undefined) return [];
  const release = ext.release === null ? 'release not asked yet' : `release ${ext.release}`;
  const program = ext.program === null ? 'not found' : shownPath(ext.program, homeDir);
  const rows = ext.collections.map(({ name, root, pattern, known }) => [
    safeLine(name),
    shownPath(root, homeDir),
    safeLine(pattern),
    known ? '' : 'not indexed yet',
  ]);
  return [
    ext.why === undefined
      ? { label: 'backend', lines: ['external'], paint: style.green }
      : {
          label: 'backend',
          lines: [
            `builtin, in place of the external program: ${ext.why.message}`,
            `→ ${ext.why.hint}`,
          ].map(safeLine),
          prose: true,
          paint: style.yellow,
        },
    { label: 'program', lines: [`${safeLine(program)}, ${safeLine(release)}`] },
    { label: 'mode', lines: [`${ext.mode}${vectorWords(ext)}`] },
    {
      label: 'collections',
      lines: alignRows(rows, ['left', 'left', 'left', 'left']).map((line) => line.trimEnd()),
    },
    updated(ext, nowMs, style),
  ];
}

type Ext = NonNullable<BackendStatus['ext']>;

function vectorWords({ vectors, withoutVectors }: Ext): string {
  switch (vectors) {
    case 'off':
      return ', by words alone';
    case 'ready':
      return ', all contents have vectors';
    case 'missing':
      return `, ${formatCountOf(withoutVectors ?? 0, 'content')} without vectors`;
    case 'unknown':
      return ', vectors not made yet';
  }
}

function updated({ updated: last }: Ext, nowMs: number, style: Style): StatusFact {
  if (last === null) {
    const lines = ['never: the first search does it, or svc memory index'];
    return { label: 'updated', lines, prose: true, paint: style.yellow };
  }
  const when = formatRelativeTime(last.atMs, nowMs);
  const what = `${formatCountOf(last.files, 'file')}, in ${formatDuration(last.tookMs)}`;
  const words = `${when}, ${what}`;
  return last.stale
    ? { label: 'updated', lines: [`${words}; files changed since`], paint: style.yellow }
    : { label: 'updated', lines: [words], paint: style.green };
}
