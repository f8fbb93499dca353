import { formatCitation } from '../../memory/search/index.js';
import { type DreamBlock, ownBlockMarks } from '../../memory/sources/index.js';
import { changeGuarded, type GuardedFile, readGuarded } from '../../memory-files/guarded-file.js';
import { gapAfter } from '../../memory-files/insertion.js';
import { formatCountOf } from '../../support/format.js';
import { safeLine } from '../../support/safe-line.js';
import { eolOf } from '../../support/text.js';
import { escapeComments } from '../promotion/memory-file.js';
import type { RecallEntry } from '../scoring/recall-entry.js';
import type { DeepResult } from './deep-phase.js';
import type { DreamSettings } from './dream-sources.js';
import type { LightResult } from './light-phase.js';
import type { PromotionDecision } from './plan-promotions.js';
import type { RemResult } from './rem-phase.js';

const MOST_LISTED = 20;

/** The light phase's report in Markdown. */
export function lightReport({ notes, messages, noted, staged }: LightResult): string {
  return lines(
    '## Light Sleep',
    '',
    `${formatCountOf(notes, 'note')} and ${formatCountOf(messages, 'message')} read, ${formatCountOf(noted, 'new statement')}, ${staged.length} staged.`,
    '',
    ...staged.slice(0, MOST_LISTED).map(item),
    ...more(staged.length),
  );
}

/** The REM phase's report in Markdown. */
export function remReport({ considered, themes, truths }: RemResult): string {
  return lines(
    '## REM Sleep',
    '',
    `${formatCountOf(considered, 'recent statement')}.`,
    '',
    ...themes.map(({ tag, count, strength }) => `- ${tag}: ${count} (${strength.toFixed(2)})`),
    ...(truths.length === 0 ? [] : ['', '### Candidate truths', '']),
    ...truths.map(({ entry, confidence }) => `${item(entry)} ${confidence.toFixed(2)}`),
  );
}

/** The deep phase's report in Markdown. */
export function deepReport({ considered, passed, decisions, earlier }: DeepResult): string {
  const before = earlier.length === 0 ? '' : `, ${earlier.length} promoted earlier that day`;
  return lines(
    '## Deep Sleep',
    '',
    `${formatCountOf(considered, 'statement')} considered, ${passed} passed every gate${before}.`,
    '',
    ...earlier.map((entry) => `${item(entry)} ${DECISION_WORDS.promote}`),
    ...decisions.map((decision) => `${item(decision.entry)} ${DECISION_WORDS[wordOf(decision)]}`),
  );
}

const DECISION_WORDS = {
  promote: 'promoted',
  renew: 'promoted, replacing an earlier entry',
  said: 'already in MEMORY.md',
  changed: 'changed in its note',
  superseded: 'contradicted by a later note',
  full: 'does not fit into MEMORY.md',
  secret: 'contains a secret',
  missing: 'no longer in its note',
} as const;

function wordOf(decision: PromotionDecision): keyof typeof DECISION_WORDS {
  return decision.decision === 'skip' ? decision.why : decision.decision;
}

function item(entry: RecallEntry): string {
  return `- ${entry.text} (${safeLine(formatCitation(entry))})`;
}

function more(count: number): string[] {
  return count > MOST_LISTED ? ['', `… and ${count - MOST_LISTED} more.`] : [];
}

/** The lines of a report. Whatever names of files and statements contain, none ends the block of the report. */
function lines(...parts: readonly string[]): string {
  return `${escapeComments(parts.join('\n')).trim()}\n`;
}

/** Replaces the content of a block, adding the block at the end if it is missing. */
export function withBlock(text: string, block: DreamBlock, content: string): string {
  const end = eolOf(text);
  const [opening, closing] = ownBlockMarks(block);
  const body = [opening, ...content.trim().split('\n'), closing].join(end);
  const place = placeOf(text, block);
  if (place !== undefined) return text.slice(0, place.start) + body + text.slice(place.end);
  return text + gapAfter(text, end) + body + end;
}

/** The content of a block; undefined if it is missing. */
export function blockContent(text: string, block: DreamBlock): string | undefined {
  const place = placeOf(text, block);
  if (place === undefined) return undefined;
  const [opening, closing] = ownBlockMarks(block);
  const inside = text.slice(place.start + opening.length, place.end - closing.length);
  return inside.replaceAll('\r\n', '\n').trim();
}

/** Uses the opening mark nearest to the closing one: text after a stray opening mark belongs to a person. */
function placeOf(text: string, block: DreamBlock) {
  const [opening, closing] = ownBlockMarks(block);
  const first = text.indexOf(opening);
  const at = first === -1 ? -1 : text.indexOf(closing, first);
  return at === -1 ? undefined : { start: text.lastIndexOf(opening, at), end: at + closing.length };
}

/** Where a phase's report goes. */
interface ReportPlace {
  /** The workspace's real path. */
  readonly dir: string;
  readonly day: string;
  readonly storage: DreamSettings['storage'];
}

/**
 * Writes a phase's report to `memory/dreaming/<phase>/<day>.md`, to a block in the day's note, or to both.
 * An unchanged report is not written again.
 *
 * @throws SvcError DREAM_FILE_REFUSED, DREAM_MEMORY_BUSY
 */
export function writeReport(
  { dir, day, storage }: ReportPlace,
  phase: Exclude<DreamBlock, 'diary'>,
  report: string,
): void {
  if (storage.mode !== 'inline' || storage.separateReports) {
    const path = `memory/dreaming/${phase}/${day}.md`;
    changeGuarded(
      () => readGuarded(dir, path),
      () => `# ${day}\n\n${report}`,
    );
  }
  if (storage.mode !== 'separate') {
    changeGuarded(
      () => readGuarded(dir, `memory/${day}.md`),
      (note) => withBlock(note.text, phase, report),
    );
  }
}

/** The diary keeps this many entries, the newest. */
const MOST_ENTRIES = 366;
const RULE = '---';

/**
 * Writes a day's entry to the diary, replacing one from an earlier sweep on the same day: `DREAMS.md`, or
 * `dreams.md` if that exists.
 *
 * @throws SvcError DREAM_FILE_REFUSED, DREAM_MEMORY_BUSY
 */
export function writeDiary(dir: string, day: string, text: string): void {
  const read = (): GuardedFile => {
    const [upper, lower] = [readGuarded(dir, 'DREAMS.md'), readGuarded(dir, 'dreams.md')];
    return lower.exists && !upper.exists ? lower : upper;
  };
  changeGuarded(read, (file) => {
    const content = withEntry(blockContent(file.text, 'diary') ?? '', day, text);
    const start = file.exists ? file.text : '# Dreams\n';
    return withBlock(start, 'diary', content);
  });
}

/** An entry is a rule, the day in italics, and the text; newest last. */
function withEntry(content: string, day: string, text: string): string {
  const heading = `*${day}*`;
  const entries = content
    .split(/^---$/mu)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '' && !entry.startsWith(heading));
  return [...entries, `${heading}\n\n${safe(text)}`]
    .slice(-MOST_ENTRIES)
    .map((entry) => `${RULE}\n\n${entry}`)
    .join('\n\n');
}

/** Escapes whatever would end the entry or the block. */
function safe(text: string): string {
  return escapeComments(text)
    .replaceAll(/^(?:-{3,}|\*.*\*)$/gmu, '')
    .trim();
}
