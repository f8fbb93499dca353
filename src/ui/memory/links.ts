import type { DocumentLinks, ResolvedLink } from '../../engine/memory/inspect/index.js';
import { formatCountOf } from '../../engine/support/format.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';

interface LinksOptions {
  readonly style: Style;
}

/** The links of a file and to it. */
export function renderLinks(links: DocumentLinks, options: LinksOptions): string {
  const { style } = options;
  return `${[style.bold(safeLine(links.path)), ...linkLines(links, options)].join('\n')}\n`;
}

/** The lists of {@link renderLinks}, indented. */
export function linkLines(
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
