import type {
  DocumentLinks,
  InspectedDocument,
} from '../../engine/memory/inspect/inspect-document.js';
import type {
  LinksOutput,
  RecentOutput,
  ResolvedLink,
  WhyOutput,
} from '../../engine/memory/inspect/output-schemas.js';
import type { LoggedSearch } from '../../engine/memory/lookups/search-log.js';
import { formatBytes, formatCountOf, formatRelativeTime } from '../../engine/support/format.js';
import { takeColumns } from '../fit.js';
import { safeLine, safeProse } from '../safe-text.js';
import type { Style, View } from '../style.js';
import { type Field, fieldLines, limitNote, renderTable, right } from '../table.js';
import { headingTrail, lineAnchor, shownDocument } from './words.js';

type LinksOptions = Pick<View, 'style'>;

/** The links of a file and to it. */
export function renderLinks(links: DocumentLinks, options: LinksOptions): string {
  const { style } = options;
  return `${[style.bold(safeLine(links.path)), ...linkLines(links, options)].join('\n')}\n`;
}

/** The lists of {@link renderLinks}, indented. */
function linkLines(
  { out, back, broken }: Pick<LinksOutput, 'back' | 'broken' | 'out'>,
  { style }: LinksOptions,
): readonly string[] {
  // A line can have several links to a note, such as to two of its headings.
  const section = (title: string, rows: readonly string[]): readonly string[] =>
    rows.length === 0 ? [] : [style.dim(title), ...[...new Set(rows)].map((row) => `  ${row}`)];
  const lines = [
    ...section(
      'links to',
      out.map(({ to, heading, line }) => {
        const target = safeLine(heading === undefined ? (to ?? '') : `${to}#${heading}`);
        return `${target}  ${style.dim(`#L${line}`)}`;
      }),
    ),
    ...section(
      'linked from',
      back.map((link) => sourceText(link, style)),
    ),
    ...section(
      'broken',
      broken.map((link) => `${brokenTargetText(link, style)}  ${style.dim(`#L${link.line}`)}`),
    ),
  ];
  return lines.length === 0 ? ['no links'] : lines;
}

/** Links that lead nowhere, by note. */
export function renderBrokenLinks(
  broken: readonly ResolvedLink[],
  { style }: LinksOptions,
): string {
  if (broken.length === 0) return 'no broken links\n';
  const lines = broken.map(
    (link) => `${sourceText(link, style)}  ${brokenTargetText(link, style)}`,
  );
  return `${[...lines, style.dim(formatCountOf(broken.length, 'broken link'))].join('\n')}\n`;
}

function sourceText({ from, line }: ResolvedLink, style: Style): string {
  return `${safeLine(from)}${style.dim(`#L${line}`)}`;
}

function brokenTargetText({ kind, target, candidates }: ResolvedLink, style: Style): string {
  const written = safeLine(kind === 'wiki' ? `[[${target}]]` : target);
  const why =
    candidates === undefined
      ? 'no such file'
      : `several files: ${candidates.map(safeLine).join(', ')}`;
  return `${style.warning(written)}  ${style.dim(why)}`;
}

interface InspectOptions extends View {
  /** Shows the whole text of chunks. */
  readonly long: boolean;
}

const DATE_SOURCES = {
  front_matter: 'front matter',
  modified: 'modification time',
  name: 'file name',
} as const;
const VECTOR_WORDS = {
  none: 'no vector',
  refused: 'refused by the provider',
  stored: 'vector',
} as const;
const PREVIEW_COLUMNS = 100;

/** What the index contains of a file. */
export function renderInspection(document: InspectedDocument, options: InspectOptions): string {
  const { style, nowMs } = options;
  const { path, kind, bytes, indexed, date, tags, properties, fault } = document;
  const age = formatRelativeTime(Date.parse(indexed), nowMs);
  const fields: readonly Field[] = [
    ['kind', `${kind}, ${formatBytes(bytes)}`],
    ['indexed', `${age}, ${formatCountOf(document.chunkCount, 'chunk')}`],
    ['date', date && `${date.day} (${DATE_SOURCES[date.from]})`],
    ['tags', tags.join(' ')],
    ...Object.entries(properties).map(([key, value]): Field => {
      return ['where', `${key}=${[value].flat().join(', ')}`];
    }),
    ['fault', fault && `front matter: ${fault}`],
  ];
  const safeFields = fields.map(([name, text]): Field => [name, safeLine(text ?? '')]);
  const lines = [
    style.bold(safeLine(path)),
    ...fieldLines(safeFields, style),
    ...document.chunks.flatMap((chunk) => chunkLines(chunk, options)),
    ...linkLines(document, options).map((line) => `  ${line}`),
  ];
  return `${lines.join('\n')}\n`;
}

function chunkLines(
  chunk: InspectedDocument['chunks'][number],
  { style, long }: InspectOptions,
): readonly string[] {
  const { tokens, vector, headingPath, text } = chunk;
  const trail = headingPath.length === 0 ? '' : `  ${headingTrail(headingPath)}`;
  const size = style.dim(`${formatCountOf(tokens, 'token')}, ${VECTOR_WORDS[vector]}`);
  const head = `  ${style.bold(lineAnchor(chunk))}  ${size}${trail}`;
  const lines = long
    ? text.split('\n').map((line) => safeProse(line))
    : [takeColumns(safeLine(firstWords(text)), PREVIEW_COLUMNS)];
  return [head, ...lines.map((line) => `    ${line}`.trimEnd())];
}

/** The first line with a word or a number in it. */
function firstWords(text: string): string {
  return (
    text
      .split('\n')
      .find((line) => /[\p{L}\p{N}]/u.test(line))
      ?.trim() ?? ''
  );
}

const WHY_REASONS: Readonly<Record<WhyOutput['reason'], string>> = {
  excluded: 'it is excluded',
  forgotten: 'its whole text is forgotten',
  included: 'it belongs to memory',
  missing: 'there is no such file',
  other_host: 'it is a file of another host',
  other_kind: 'its name does not end in .md',
  outside: 'not in MEMORY.md, USER.md, memory/ or memorySearch.extraPaths',
  skipped: 'it cannot be used',
};

/** Whether a file belongs to an agent's memory, and the rule that decided. */
export function renderWhy(agent: string, why: WhyOutput, { style }: View): string {
  const { path, included, indexed, reason, detail, rule } = why;
  const verdict = included
    ? indexed
      ? style.ok('indexed')
      : style.warning('not indexed yet')
    : style.warning(indexed ? 'still indexed' : 'not indexed');
  const lines = [`${style.bold(safeLine(agent))}  ${safeLine(path)}  ${verdict}`];
  const because = detail === undefined ? WHY_REASONS[reason] : `${WHY_REASONS[reason]}: ${detail}`;
  lines.push(`  why    ${safeLine(because)}`);
  if (rule !== null) {
    const about = rule.path === path ? '' : `, matches ${rule.path}`;
    const source = rule.file === null ? 'memorySearch.exclude' : `${rule.file}:${rule.line ?? 1}`;
    lines.push(`  rule   ${safeLine(`${rule.pattern}  (${source}${about})`)}`);
  }
  if (included !== indexed)
    lines.push(`  note   the index is not up to date; "svc memory index" updates it`);
  return `${lines.join('\n')}\n`;
}

/** The files that changed last, as a table. */
export function renderRecent(
  { documents, more }: Omit<RecentOutput, 'agent'>,
  { style, nowMs }: View,
): string {
  if (documents.length === 0) return 'no changes\n';
  const rows = documents.map(({ path, modified, bytes }) => {
    return [formatRelativeTime(Date.parse(modified), nowMs), formatBytes(bytes), safeLine(path)];
  });
  const columns = ['changed', right('size'), 'file'] as const;
  const listed = documents.length;
  const counts = { listed, total: listed + more, noun: 'changed file' };
  return renderTable(columns, rows, { style }) + limitNote(counts, style);
}

/** Logged searches with their hits; ✓ marks those that were opened. */
export function renderSearchLog(searches: readonly LoggedSearch[], { style, nowMs }: View): string {
  if (searches.length === 0) return 'no searches\n';
  return searches.map((search) => renderSearch(search, style, nowMs)).join('\n');
}

function renderSearch({ at, query, hits, opened }: LoggedSearch, style: Style, nowMs: number) {
  const isOpened = (path: string): boolean => opened.some((document) => document.path === path);
  const lines = hits.map((hit) => {
    const mark = isOpened(hit.path) ? '✓' : ' ';
    return `  ${mark} ${hit.score.toFixed(3)}  ${shownDocument(hit)}${lineAnchor(hit)}\n`;
  });
  const when = style.dim(formatRelativeTime(Date.parse(at), nowMs));
  const nothing = lines.length === 0 ? `    ${style.dim('no results')}\n` : '';
  return `${style.bold(safeLine(query))}  ${when}\n${lines.join('')}${nothing}`;
}
