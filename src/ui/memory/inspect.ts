import type {
  DocumentLinks,
  InspectedDocument,
  ResolvedLink,
} from '../../engine/memory/inspect/index.js';
import { formatBytes, formatCountOf, formatRelativeTime } from '../../engine/support/format.js';
import { safeLine, safeProse } from '../safe-text.js';
import type { Style, View } from '../style.js';
import { headingTrail, lineAnchor } from './words.js';

interface LinksOptions {
  readonly style: Style;
}

/** The links of a file and to it. */
export function renderLinks(links: DocumentLinks, options: LinksOptions): string {
  const { style } = options;
  return `${[style.bold(safeLine(links.path)), ...linkLines(links, options)].join('\n')}\n`;
}

/** The lists of {@link renderLinks}, indented. */
function linkLines(
  { out, back, broken }: Pick<DocumentLinks, 'back' | 'broken' | 'out'>,
  { style }: LinksOptions,
): readonly string[] {
  const section = (title: string, rows: readonly string[]): readonly string[] =>
    rows.length === 0 ? [] : [style.dim(title), ...rows.map((row) => `  ${row}`)];
  const lines = [
    ...section(
      'links to',
      out.map((link) => `${shownTarget(link)}  ${style.dim(`#L${link.line}`)}`),
    ),
    ...section(
      'linked from',
      back.map((link) => placeOf(link, style)),
    ),
    ...section(
      'broken',
      broken.map((link) => `${brokenTarget(link, style)}  ${style.dim(`#L${link.line}`)}`),
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
  const lines = broken.map((link) => `${placeOf(link, style)}  ${brokenTarget(link, style)}`);
  return `${[...lines, style.dim(formatCountOf(broken.length, 'broken link'))].join('\n')}\n`;
}

function placeOf({ from, line }: ResolvedLink, style: Style): string {
  return `${safeLine(from)}${style.dim(`#L${line}`)}`;
}

function shownTarget({ to = '', heading }: ResolvedLink): string {
  return safeLine(heading === undefined ? to : `${to}#${heading}`);
}

function brokenTarget({ kind, target, candidates }: ResolvedLink, style: Style): string {
  const written = safeLine(kind === 'wiki' ? `[[${target}]]` : target);
  const why =
    candidates === undefined
      ? 'no such file'
      : `several files: ${candidates.map(safeLine).join(', ')}`;
  return `${style.warning(written)}  ${style.dim(why)}`;
}

interface InspectOptions extends Pick<View, 'nowMs' | 'style'> {
  /** Shows the whole text of chunks. */
  readonly long: boolean;
}

const DATE_FROM = {
  front_matter: 'front matter',
  modified: 'modification time',
  name: 'file name',
} as const;
const VECTOR = { none: 'no vector', refused: 'refused by the provider', stored: 'vector' } as const;
const PREVIEW = 100;

/** What the index has of a file. */
export function renderInspected(document: InspectedDocument, options: InspectOptions): string {
  const { style, nowMs } = options;
  const { path, kind, fingerprint, indexedMs, date, facts, chunks, chunkCount } = document;
  const rows: (readonly [string, string])[] = [
    ['kind', `${kind}, ${formatBytes(fingerprint.size)}`],
    ['indexed', `${formatRelativeTime(indexedMs, nowMs)}, ${formatCountOf(chunkCount, 'chunk')}`],
  ];
  if (date !== undefined) rows.push(['date', `${date.day} (${DATE_FROM[date.from]})`]);
  if (facts?.tags !== undefined) rows.push(['tags', facts.tags.join(' ')]);
  for (const [key, value] of Object.entries(facts?.properties ?? {})) {
    rows.push(['where', `${key}=${[value].flat().join(', ')}`]);
  }
  if (facts?.fault !== undefined) rows.push(['fault', `front matter: ${facts.fault}`]);
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = [
    style.bold(safeLine(path)),
    ...rows.map(([name, text]) => `  ${style.dim(name.padEnd(width))}  ${safeLine(text)}`),
    ...chunks.flatMap((chunk) => chunkLines(chunk, options)),
    ...linkLines(document.links, options).map((line) => `  ${line}`),
  ];
  return `${lines.join('\n')}\n`;
}

function chunkLines(
  chunk: InspectedDocument['chunks'][number],
  { style, long }: InspectOptions,
): readonly string[] {
  const { tokens, vector, headingPath, text } = chunk;
  const trail = headingPath.length === 0 ? '' : `  ${headingTrail(headingPath)}`;
  const size = style.dim(`${formatCountOf(tokens, 'token')}, ${VECTOR[vector]}`);
  const head = `  ${style.bold(lineAnchor(chunk))}  ${size}${trail}`;
  const shown = long
    ? text.split('\n').map((line) => safeProse(line))
    : [safeLine(firstWords(text)).slice(0, PREVIEW)];
  return [head, ...shown.map((line) => `    ${line}`.trimEnd())];
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
