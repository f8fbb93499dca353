import type { ImportItem, ImportPlan } from '../../engine/imports/index.js';
import { formatCountOf } from '../../engine/support/format.js';
import { renderDiff } from '../diff-lines.js';
import { safeLine, shownPath } from '../safe-text.js';
import type { Paint, Style, View } from '../style.js';

type ReportOptions = Pick<View, 'columns' | 'homeDir' | 'style'>;

/** What becomes of each setting, and what will be written. */
export function renderImport(plan: ImportPlan, options: ReportOptions): string {
  const { style, homeDir } = options;
  const { items, notes, diff, program } = plan;
  const source = `${program}: ${shownPath(plan.source, homeDir)}`;
  const blocks = [
    [source],
    ...ORDER.map((outcome) => outcomeLines(outcome, items, style)),
    diff.length === 0 ? [] : [shownPath(plan.file, homeDir), ...renderDiff(diff, options)],
    notes.length === 0 ? [] : [notesLine(plan, homeDir)],
    diff.length === 0 && notes.length === 0 ? ['nothing to write'] : [],
  ].filter((lines) => lines.length > 0);
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

const ORDER = ['taken', 'translated', 'conflict', 'present', 'left'] as const;

function outcomeLines(
  outcome: ImportItem['outcome'],
  items: readonly ImportItem[],
  style: Style,
): readonly string[] {
  const all = items.filter((item) => item.outcome === outcome);
  if (all.length === 0) return [];
  return [`${paintOf(outcome, style)(outcome)} (${all.length})`, ...all.map(itemLine)];
}

function itemLine({ from, to, why }: ImportItem): string {
  const place = to === null || to === from ? safeLine(from) : `${safeLine(from)} → ${safeLine(to)}`;
  return `  ${place}${why === null ? '' : `: ${safeLine(why)}`}`;
}

function paintOf(outcome: ImportItem['outcome'], style: Style): Paint {
  switch (outcome) {
    case 'taken':
    case 'translated':
      return style.ok;
    case 'conflict':
      return style.warning;
    case 'present':
    case 'left':
      return style.dim;
  }
}

function notesLine({ notes, folder }: ImportPlan, homeDir: string): string {
  const entries = notes.reduce((sum, note) => sum + note.entries.length, 0);
  const count = formatCountOf(entries, 'entry', 'entries');
  return `${count} in ${formatCountOf(notes.length, 'note')} below ${shownPath(folder, homeDir)}`;
}
