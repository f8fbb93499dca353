import { SvcError } from '../../errors/index.js';
import { type DayRange, dayFormatter, daysOverlap, isoDay, oneDay } from '../../support/day.js';
import { DOCUMENT_FORMATS, documentFormatOf } from '../../support/document-format.js';
import { folded } from '../../support/text.js';
import { durationMs, MS_PER_DAY } from '../../support/time.js';
import { sectionsOf } from '../chunking/chunk-document.js';
import {
  type CandidateFilter,
  dayOfPath,
  type FilteredChunk,
  type FilteredDocument,
} from '../index/index.js';
import { modalityOfName, textLines } from '../sources/index.js';
import type { FactItem, FactValue } from '../types.js';
import { isWritable } from './date-span.js';
import { dateIn } from './dates.js';
import type { SearchFilters, SearchOptions, SearchResponse } from './types.js';

/** What the filters of a request keep, and how they were read. */
export interface ParsedFilters {
  readonly filter: Pick<CandidateFilter, 'chunk' | 'contains' | 'document'>;
  readonly output: NonNullable<SearchResponse['filters']>;
}

/** What dates in words are relative to. */
export type DateContext = Pick<SearchOptions, 'nowMs' | 'timeZone'>;

/** The values of `--kind`. */
export const FILTER_KINDS = [
  'markdown',
  'transcript',
  ...DOCUMENT_FORMATS,
  'image',
  'audio',
] as const;

/**
 * Reads the filters of a request; dates are relative to now.
 *
 * @throws SvcError USAGE for one that cannot be understood
 */
export async function parseFilters(
  filters: SearchFilters,
  context: DateContext,
): Promise<ParsedFilters> {
  const days = await daysOf(filters, context);
  const conditions = (filters.where ?? []).map(conditionOf);
  const tags = (filters.tags ?? []).map((tag) => folded(tag.replace(/^#/u, '')));
  if (tags.includes('')) throw refusal('--tag must not be empty');
  const kinds = (filters.kinds ?? []).map(kindFrom);
  const heading = filters.heading === undefined ? undefined : folded(filters.heading.trim());
  if (heading === '') throw refusal('--heading must not be empty');
  const dayOfMoment = dayFormatter(context.timeZone);
  return {
    filter: {
      contains: heading,
      document: (document) => {
        const { facts } = document;
        if (kinds.length > 0 && !kinds.some((kind) => isOfKind(document, kind))) return false;
        if (!tags.every((tag) => hasTag(facts?.tags ?? [], tag))) return false;
        if (!conditions.every((condition) => isMet(condition, facts?.properties ?? {}))) {
          return false;
        }
        // A conversation can take days: its passages have their own.
        if (days !== undefined && document.kind === 'transcript') return 'by-chunk';
        if (days !== undefined && !daysOverlap(days, oneDay(noteDay(document, dayOfMoment).day))) {
          return false;
        }
        return heading === undefined || 'by-chunk';
      },
      chunk:
        heading === undefined && days === undefined
          ? undefined
          : (chunk, document) => {
              if (heading !== undefined && !isUnder(heading, chunk, document)) return false;
              if (days === undefined || document.kind !== 'transcript') return true;
              const modified = Date.parse(dayOfMoment(document.modifiedMs)) / MS_PER_DAY;
              return daysOverlap(days, chunk.days ?? oneDay(modified));
            },
    },
    output: {
      ...(days === undefined ? {} : { from: dayText(days.first), to: dayText(days.last) }),
      ...(conditions.length === 0 ? {} : { where: conditions.map(({ text }) => text) }),
      ...(tags.length === 0 ? {} : { tags }),
      ...(heading === undefined ? {} : { heading }),
      ...(kinds.length === 0 ? {} : { kinds }),
    },
  };
}

function kindFrom(text: string): string {
  const kind = text.trim().toLowerCase();
  if (FILTER_KINDS.some((known) => known === kind)) return kind;
  throw refusal(
    `--kind must be one of: ${FILTER_KINDS.join(', ')} (got ${JSON.stringify(text.slice(0, 100))})`,
  );
}

function isOfKind({ kind, path }: FilteredDocument, wanted: string): boolean {
  return kind === wanted || documentFormatOf(path) === wanted || modalityOfName(path) === wanted;
}

/** The day that filters compare, and where it is from. */
export interface NoteDay {
  readonly day: number;
  readonly from: 'front_matter' | 'modified' | 'name';
}

/**
 * The day of a note: in its name, else in its front matter, else of its last change.
 *
 * @param dayOfMoment made by dayFormatter
 */
export function noteDay(
  { path, facts, modifiedMs }: Pick<FilteredDocument, 'facts' | 'modifiedMs' | 'path'>,
  dayOfMoment: (ms: number) => string,
): NoteDay {
  const named = dayOfPath(path);
  if (named !== undefined) return { day: named, from: 'name' };
  if (facts?.day !== undefined) return { day: facts.day, from: 'front_matter' };
  return { day: Date.parse(dayOfMoment(modifiedMs)) / MS_PER_DAY, from: 'modified' };
}

function dayText(day: number): string | null {
  return Number.isFinite(day) ? isoDay(day) : null;
}

/** From the first day of `since` to the day before `before`, and in all of `on`. */
async function daysOf(
  { since, before, on }: SearchFilters,
  context: DateContext,
): Promise<DayRange | undefined> {
  const limits: DayRange[] = [];
  const shown: string[] = [];
  for (const [flag, text] of Object.entries({ since, before, on })) {
    if (text === undefined) continue;
    const days = await dayRange(flag, text, context);
    if (flag === 'since') limits.push({ ...days, last: Number.POSITIVE_INFINITY });
    else if (flag === 'on') limits.push(days);
    else limits.push({ first: Number.NEGATIVE_INFINITY, last: days.first - 1 });
    shown.push(`--${flag} ${isoDay(days.first)}`);
  }
  if (limits.length === 0) return undefined;
  const first = Math.max(...limits.map((days) => days.first));
  const last = Math.min(...limits.map((days) => days.last));
  if (first <= last) return { first, last };
  throw refusal(
    `no date meets ${shown.join(' and ')}`,
    '--since must be earlier than --before, and --on must be a day of that period',
  );
}

/** A date as in questions, or a duration of whole days before today. */
async function dayRange(
  flag: string,
  text: string,
  { nowMs, timeZone }: DateContext,
): Promise<DayRange> {
  const days = (durationMs(text.trim()) ?? Number.NaN) / MS_PER_DAY;
  if (Number.isInteger(days)) {
    const today = Date.parse(dayFormatter(timeZone)(nowMs)) / MS_PER_DAY;
    const range = { first: today - days, last: flag === 'on' ? today - days : today };
    if (isWritable(range)) return range;
  }
  // "March" alone can be a name, so it is not a date in a question.
  for (const question of [text, `in ${text}`, `on ${text}`]) {
    const date = await dateIn(question, nowMs, timeZone);
    if (date?.rest.trim() === '') return date.meanings[0];
  }
  throw refusal(
    `--${flag} must be a date or a duration such as 7d (got ${JSON.stringify(text.slice(0, 100))})`,
    'use a date such as 2026-02-03, yesterday, "last 3 months" or "in March", or 7d, 2w, 1y',
  );
}

/** The first operator counts: a value, such as an address, may contain others. */
const CONDITION = /^([^=<>]+)([=<>])(?!\s*[=<>])(.+)$/su;

function conditionOf(text: string) {
  const [, left = '', operator, right = ''] = CONDITION.exec(text) ?? [];
  const [key, wanted] = [left.trim(), right.trim()];
  // A key that ends like this is the start of an unknown operator, such as !=.
  const isKey = key !== '' && !/[!~:]$/u.test(key);
  if (!isKey || wanted === '') throw notACondition(text);
  if (operator !== '=' && operator !== '<' && operator !== '>') throw notACondition(text);
  if (operator !== '=' && kindOf(wanted) === 'text') {
    throw refusal(
      `--where ${operator} must be followed by a number or a date (got ${JSON.stringify(wanted)})`,
      `use = for texts, as in "${key}=${wanted}"`,
    );
  }
  return { text: `${key}${operator}${wanted}`, key: folded(key), operator, wanted };
}

function notACondition(text: string): SvcError {
  return refusal(
    `--where must be key=value, key>value or key<value (got ${JSON.stringify(text.slice(0, 100))})`,
    'for example --where status=open --where "priority>2" --where "due<2026-03-01"',
  );
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/u;
const DATE = /^\d{4}-\d\d(?:-\d\d(?:[T ].*)?)?$/u;

function kindOf(value: FactItem): 'date' | 'number' | 'text' {
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'text';
  return NUMBER.test(value) ? 'number' : DATE.test(value) ? 'date' : 'text';
}

/** Of a list, one item is enough. */
function isMet(
  { key, operator, wanted }: ReturnType<typeof conditionOf>,
  properties: Readonly<Record<string, FactValue>>,
): boolean {
  if (!Object.hasOwn(properties, key)) return false;
  return [properties[key] ?? []].flat().some((value) => {
    const kind = kindOf(value);
    if (kind !== kindOf(wanted)) return false;
    const [a, b] =
      kind === 'number' ? [Number(value), Number(wanted)] : [folded(String(value)), folded(wanted)];
    if (a === b) return operator === '=';
    // A month is all of its days, and neither before nor after one of them.
    if (kind === 'date' && String(a).startsWith(String(b))) return operator === '=';
    if (kind === 'date' && String(b).startsWith(String(a))) return false;
    return operator === '>' ? a > b : operator === '<' && a < b;
  });
}

/** `--tag project` keeps `#project/website` too. */
function hasTag(tags: readonly string[], wanted: string): boolean {
  return tags.some((tag) => tag === wanted || tag.startsWith(`${wanted}/`));
}

/** Whether a heading above a passage, or in it, contains a text. Conversations have no headings of their own. */
function isUnder(wanted: string, chunk: FilteredChunk, document: FilteredDocument): boolean {
  const contains = (heading: string): boolean => folded(heading).includes(wanted);
  if (chunk.headingPath.some(contains)) return true;
  if (document.kind === 'transcript') return false;
  // The lines of a section share it.
  const sections = new Set(sectionsOf(document.path, textLines(chunk.text), chunk));
  return [...sections].some(({ headingPath }) => headingPath.some(contains));
}

function refusal(message: string, hint?: string): SvcError {
  return new SvcError('USAGE', message, { hint });
}
