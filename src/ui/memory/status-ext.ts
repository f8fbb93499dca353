import type { BackendStatus } from '../../engine/memory/backends/index.js';
import { formatCountOf, formatDuration, formatRelativeTime } from '../../engine/support/format.js';
import { safeLine, shownPath } from '../safe-text.js';
import type { Style } from '../style.js';
import { alignRows } from '../table.js';
import type { StatusFact } from './status-embedding.js';

/** The external search program of an agent, and which backend is in use. */
export function extFacts(
  { ext }: BackendStatus,
  {
    style,
    nowMs,
    homeDir,
  }: { readonly style: Style; readonly nowMs: number; readonly homeDir: string },
): readonly StatusFact[] {
  if (ext === undefined) return [];
  const release = ext.release === null ? 'release not known yet' : `release ${ext.release}`;
  const program = ext.program === null ? 'not found' : shownPath(ext.program, homeDir);
  const rows = ext.collections.map(({ name, root, pattern, known }) => [
    safeLine(name),
    shownPath(root, homeDir),
    safeLine(pattern),
    known ? '' : 'not indexed yet',
  ]);
  return [
    ext.why === undefined
      ? { label: 'backend', lines: ['external'], paint: style.ok }
      : {
          label: 'backend',
          lines: [
            `builtin, instead of the external program: ${ext.why.message}`,
            `→ ${ext.why.hint}`,
          ].map(safeLine),
          prose: true,
          paint: style.warning,
        },
    { label: 'program', lines: [`${safeLine(program)}, ${safeLine(release)}`] },
    { label: 'mode', lines: [`${ext.mode}${vectorWords(ext)}`] },
    {
      label: 'collections',
      lines: alignRows(rows),
    },
    updated(ext, nowMs, style),
  ];
}

type Ext = NonNullable<BackendStatus['ext']>;

function vectorWords({ vectors, withoutVectors }: Ext): string {
  switch (vectors) {
    case 'off':
      return ', keyword search only';
    case 'ready':
      return ', all documents have vectors';
    case 'missing':
      return `, ${formatCountOf(withoutVectors ?? 0, 'document')} without vectors`;
    case 'unknown':
      return ', no vectors yet';
  }
}

function updated({ updated: last }: Ext, nowMs: number, style: Style): StatusFact {
  if (last === null) {
    const lines = ['never: run "svc memory index", or search'];
    return { label: 'updated', lines, prose: true, paint: style.warning };
  }
  const when = formatRelativeTime(last.atMs, nowMs);
  const what = `${formatCountOf(last.files, 'file')}, in ${formatDuration(last.tookMs)}`;
  const words = `${when}, ${what}`;
  return last.stale
    ? { label: 'updated', lines: [`${words}; files changed since`], paint: style.warning }
    : { label: 'updated', lines: [words], paint: style.ok };
}
