import type { CopyProgress, StorageCopyOutput } from '../../engine/storage/index.js';
import { formatCount, formatCountOf } from '../../engine/support/format.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';
import { renderTable, type TableColumn } from '../table.js';

/** How often progress of one step is printed. */
const NOTE_MS = 1000;

/** Prints how far a copy is: each step once at least, and its end. @param now milliseconds on any steady clock */
export function createCopyNotes(
  note: (line: string) => void,
  now: () => number,
): (news: CopyProgress) => void {
  let told = '';
  let toldMs = 0;
  return ({ part, step, rows, of }) => {
    const current = `${step} ${part}`;
    const nowMs = now();
    if (current === told && rows < of && nowMs - toldMs < NOTE_MS) return;
    [told, toldMs] = [current, nowMs];
    note(`${safeLine(part)}: ${step} ${formatCount(rows)} of ${formatCount(of)}`);
  };
}

const COLUMNS: readonly TableColumn[] = [
  { title: '' },
  { title: 'rows', align: 'right' },
  { title: 'written', align: 'right' },
  { title: 'newer there', align: 'right' },
  { title: 'deleted there', align: 'right' },
  { title: 'different', align: 'right' },
  { title: 'SHA-256, source' },
  { title: 'target' },
];

/** As many digits as people compare. */
const SHOWN_DIGITS = 16;

/** What was copied, and whether both stores agree. */
export function renderCopied(copied: StorageCopyOutput, style: Style): string {
  const { to, address, dryRun, verified, parts } = copied;
  const where = to === 'postgres' ? safeLine(address) : 'the SQLite files of this machine';
  if (dryRun) {
    const rows = parts.map(({ name, rows: count }) => [safeLine(name), formatCount(count)]);
    const table = renderTable(COLUMNS.slice(0, 2), rows, style);
    return `${table}\nwould be copied to ${where}, except what is there already\n`;
  }
  const rows = parts.map(({ name, rows: count, written, newer, deleted, different, hashes }) => [
    safeLine(name),
    ...[count, written, newer, deleted, different].map(formatCount),
    (hashes?.source ?? '').slice(0, SHOWN_DIGITS),
    (hashes?.target ?? '').slice(0, SHOWN_DIGITS),
  ]);
  const wrong = parts.reduce((sum, { different }) => sum + different, 0);
  const end = verified
    ? style.ok(`copied to ${where} and verified; the source is unchanged`)
    : style.fault(
        `${formatCountOf(wrong, 'row')} of the source changed meanwhile, or differently in both stores: run it again`,
      );
  return `${renderTable(COLUMNS, rows, style)}\n${end}\n`;
}
