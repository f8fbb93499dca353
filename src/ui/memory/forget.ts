import type {
  ForgetPassage,
  ForgetPlace,
  ForgetPlan,
  UndoResult,
} from '../../engine/memory/forget/index.js';
import type { ForgetEntry } from '../../engine/memory/forgotten/index.js';
import type { DocumentKey, LineRange } from '../../engine/memory/index.js';
import { formatCountOf, formatRelativeTime } from '../../engine/support/format.js';
import { fitEnd } from '../fit.js';
import { safeLine, safeProse } from '../safe-text.js';
import type { Style, View } from '../style.js';
import { renderTable } from '../table.js';
import { lineAnchor, shownDocument } from './words.js';

/** Lines of a passage that are shown. */
const LINES_SHOWN = 12;
/** Columns of a line that are shown; a paragraph is often a single line. */
const COLUMNS_SHOWN = 2000;
const PLACES_SHOWN = 10;

/** The passages that would be forgotten, with their text, and other places with the same lines. */
export function renderForgetPlan(
  { passages, alsoIn }: ForgetPlan,
  { style, files }: { readonly style: Style; readonly files: 'changed' | 'kept' | 'never changed' },
): string {
  const blocks = passages.flatMap((passage) => [
    style.bold(
      passage.whole ? `${shownDocument(passage)} (the whole file)` : locationText(passage),
    ),
    ...textLines(passage).map((line) => `  ${style.dim('│')} ${line}`),
    '',
  ]);
  const others = alsoIn.slice(0, PLACES_SHOWN).map((place) => `  ${locationText(place)}`);
  const more = moreLines(alsoIn.length);
  return [
    ...blocks,
    ...(others.length === 0
      ? []
      : ['The same lines are also here, and will be forgotten too:', ...others, ...more, '']),
    FILES_WORDS[files],
    '',
  ].join('\n');
}

const FILES_WORDS = {
  changed: 'This will be removed from memory and from its files. A backup of each is kept.',
  kept: 'This will be removed from memory, but not from files (see --from-file).',
  'never changed': 'This will be removed from memory, but not from files.',
};

/** The result of forgetting, and how to undo it. */
export function renderForgetResult({ id, files }: ForgetEntry): string {
  const changed = files.map(({ path, leftHash, backup }) => {
    return `${leftHash === null ? 'deleted' : 'changed'} ${safeLine(path)}; backup: ${safeLine(backup)}`;
  });
  return [`forgotten as ${id}; undo with "svc memory forget --undo ${id}"`, ...changed, ''].join(
    '\n',
  );
}

/** Where the text still occurs; empty for nowhere. */
export function renderRemains(remains: readonly ForgetPlace[]): string {
  if (remains.length === 0) return '';
  return [
    'The text still occurs here, among other words. Edit these lines yourself:',
    ...remains.slice(0, PLACES_SHOWN).map((place) => `  ${locationText(place)}`),
    ...moreLines(remains.length),
    '',
  ].join('\n');
}

/** Counts the places that are not listed. */
function moreLines(count: number): readonly string[] {
  const more = count - PLACES_SHOWN;
  return more > 0 ? [`  and in ${formatCountOf(more, 'other place')}`] : [];
}

/** The list of forgotten passages. */
export function renderForgetList(entries: readonly ForgetEntry[], { style, nowMs }: View): string {
  if (entries.length === 0) return 'nothing is forgotten\n';
  const columns = ['id', 'when', 'what'];
  const rows = entries.flatMap(({ id, at, passages }) =>
    passages.map((passage, row) => [
      row === 0 ? id : '',
      row === 0 ? formatRelativeTime(Date.parse(at), nowMs) : '',
      locationText(passage),
    ]),
  );
  return renderTable(columns, rows, { style });
}

/** Asks whether an entry is to be undone. */
export function undoQuestion({ id, passages }: ForgetEntry): string {
  const [first, ...others] = passages.map(locationText);
  const more = others.length === 0 ? '' : ` and ${formatCountOf(others.length, 'other place')}`;
  return `Remember ${first === undefined ? id : `${first}${more}`} again?`;
}

/** The result of undoing: which files were restored, and which were not. */
export function renderForgetUndo(undone: UndoResult): string {
  const { restored, kept } = undone;
  return [
    undoneWords(undone),
    ...restored.map((path) => `restored ${safeLine(path)}`),
    ...kept.map(({ path, backup }) => {
      return `${safeLine(path)} has changed since and was not restored; backup: ${safeLine(backup)}`;
    }),
    '',
  ].join('\n');
}

function undoneWords({ entry: { id }, stillIn, staysForgotten }: UndoResult): string {
  const others = stillIn.join(', ');
  if (staysForgotten)
    return `${id} is undone, but its text stays forgotten: it is also in ${others}`;
  return `${id} is no longer forgotten${stillIn.length === 0 ? '' : `, except for what is also in ${others}`}`;
}

function textLines({ text, kind }: ForgetPassage): readonly string[] {
  if (kind === 'media') return ['(no text)'];
  const lines = text.replace(/(?<!\n)\n+$/u, '').split('\n');
  const firstLines = lines
    .slice(0, LINES_SHOWN)
    .map((line) => fitEnd(safeProse(line), COLUMNS_SHOWN));
  const more = lines.length - firstLines.length;
  return more > 0 ? [...firstLines, `… ${formatCountOf(more, 'more line')}`] : firstLines;
}

function locationText(range: LineRange & Pick<DocumentKey, 'origin' | 'path'>): string {
  return `${shownDocument(range)}${lineAnchor(range)}`;
}
