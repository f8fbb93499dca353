import type { ForgetEntry } from '../../engine/memory/forget/forget-list.js';
import type { ForgetPassage, ForgetPlan, Undone } from '../../engine/memory/forget/forget-plan.js';
import type { LineRange } from '../../engine/memory/types.js';
import { formatCountOf, formatRelativeTime } from '../format.js';
import { safeLine, safeProse } from '../safe-text.js';
import type { Style } from '../style.js';
import { renderTable } from '../table.js';
import { lineAnchor } from './location.js';

/** Lines of a passage that are shown; a person knows a text by its beginning. */
const LINES_SHOWN = 12;
const PLACES_SHOWN = 10;

/** What would go: each passage with its text, and where the same lines stand besides. */
export function renderForgetPlan(
  { passages, alsoIn }: ForgetPlan,
  { style, fromFile }: { readonly style: Style; readonly fromFile: boolean },
): string {
  const blocks = passages.flatMap((passage) => [
    style.bold(passage.whole ? `${safeLine(passage.path)} (the whole file)` : place(passage)),
    ...textLines(passage).map((line) => `  ${style.dim('│')} ${line}`),
    '',
  ]);
  const others = alsoIn.slice(0, PLACES_SHOWN).map((one) => `  ${place(one)}`);
  const more = alsoIn.length - others.length;
  return [
    ...blocks,
    ...(others.length === 0 ? [] : ['The same lines also stand here, and go as well:', ...others]),
    ...(more > 0 ? [`  and in ${formatCountOf(more, 'other place')}`] : []),
    ...(others.length === 0 ? [] : ['']),
    fromFile
      ? 'They go from memory and from the files above; a backup of each file is kept.'
      : 'They go from memory; the files stay as they are (--from-file changes them too).',
    '',
  ].join('\n');
}

/** What was done. */
export function renderForgotten({ id, files }: ForgetEntry): string {
  const changed = files.map(({ path, leftHash, backup }) => {
    return `${leftHash === null ? 'deleted' : 'changed'} ${safeLine(path)}; backup: ${safeLine(backup)}`;
  });
  return [`forgotten as ${id}; svc memory forget --undo ${id} takes it back`, ...changed, ''].join(
    '\n',
  );
}

/** Everything on the list. */
export function renderForgetList(
  entries: readonly ForgetEntry[],
  { style, nowMs }: { readonly style: Style; readonly nowMs: number },
): string {
  if (entries.length === 0) return 'nothing is forgotten\n';
  const columns = [{ title: 'id' }, { title: 'when' }, { title: 'what' }];
  const rows = entries.flatMap(({ id, at, passages }) =>
    passages.map((passage, row) => [
      row === 0 ? id : '',
      row === 0 ? formatRelativeTime(Date.parse(at), nowMs) : '',
      place(passage),
    ]),
  );
  return renderTable(columns, rows, style);
}

/** What came back, and what could not. */
export function renderUndone({ entry, restored, kept }: Undone): string {
  return [
    `${entry.id} is no longer forgotten`,
    ...restored.map((path) => `restored ${safeLine(path)}`),
    ...kept.map(({ path, backup }) => {
      return `${safeLine(path)} was changed since and stays as it is; backup: ${safeLine(backup)}`;
    }),
    '',
  ].join('\n');
}

function textLines({ text, kind }: ForgetPassage): readonly string[] {
  if (kind === 'media') return ['(no text)'];
  const lines = text.replace(/\n+$/u, '').split('\n');
  const shown = lines.slice(0, LINES_SHOWN).map(safeProse);
  const more = lines.length - shown.length;
  return more > 0 ? [...shown, `… ${formatCountOf(more, 'more line')}`] : shown;
}

function place(range: LineRange & { readonly path: string }): string {
  return `${safeLine(range.path)}${lineAnchor(range)}`;
}
