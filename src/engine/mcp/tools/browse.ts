import { uniqueBy } from '../../support/lists.js';
import { safeLine } from '../../support/safe-line.js';
import { admission, type McpContext } from '../mcp-context.js';
import { shownWarnings, sourcesOf, warningTexts } from './answers.js';
import type { LinksAnswer, LinksInput, RecentAnswer, RecentInput } from './schemas.js';

const DEFAULT_LIMIT = 20;
/** Keeps one call from filling an agent's context. */
const MOST_LINKS = 200;

/**
 * The files that changed last, for the server's session.
 *
 * @throws SvcError USAGE for a date that cannot be understood
 */
export async function listRecent(
  { since, corpus, limit = DEFAULT_LIMIT }: RecentInput,
  signal: AbortSignal,
  context: McpContext,
): Promise<RecentAnswer> {
  const { memory: live, session } = context;
  const memory = await live.opened();
  const refusal = admission(memory.agent.scope, session);
  if (refusal !== undefined) return { files: [], more: 0, disabled: true, warnings: [refusal] };
  const { recentChanges } = await import('../../memory/inspect/recent.js');
  const request = { since, sources: sourcesOf(corpus), limit };
  const { warnings, onWarning } = shownWarnings(context);
  const work = { signal, onEvent: live.emitSync, onWarning, nowMs: live.nowMs() };
  const { documents, more } = await recentChanges(memory, request, work);
  return {
    files: documents.map(({ kind: _, ...file }) => file),
    more,
    warnings,
  };
}

/** The text result of `memory_recent`. */
export function recentText({ files, more, disabled, warnings }: RecentAnswer): string {
  // Nothing was read, so there is nothing to say of the files.
  if (disabled === true) return warningTexts(warnings).join('\n\n');
  const lines = files.map(({ path, modified }) => `${modified}  ${safeLine(path)}`);
  const rest = more === 0 ? [] : [`[${more} more]`];
  const list = [...(lines.length === 0 ? ['no changes'] : lines), ...rest].join('\n');
  return [list, ...warningTexts(warnings)].join('\n\n');
}

/** The links of a note, for the server's session. @throws SvcError DOCUMENT_NOT_INDEXED */
export async function listLinks(
  { path }: LinksInput,
  signal: AbortSignal,
  context: McpContext,
): Promise<LinksAnswer> {
  const { memory: live, session } = context;
  const { agent, backend } = await live.opened();
  const refusal = admission(agent.scope, session);
  const nothing = { out: [], back: [], broken: [], more: 0 };
  if (refusal !== undefined) return { path, ...nothing, disabled: true, warnings: [refusal] };
  const inspection = await backend.inspection();
  const { warnings, onWarning } = shownWarnings(context);
  const work = { signal, onEvent: live.emitSync, onWarning };
  const links = await inspection.linksOf(path, work);
  const out = links.out.flatMap(({ to, line, heading }) => {
    if (to === null) return [];
    return [{ path: to, line, ...(heading === undefined ? {} : { heading }) }];
  });
  // A line can have several links to the note, such as to two of its headings.
  const back = uniqueBy(
    links.back.map(({ from, line }) => ({ path: from, line })),
    ({ path: from, line }) => `${line} ${from}`,
  );
  const broken = links.broken.map(({ target, line }) => ({ target, line }));
  const more = [out, back, broken].reduce(
    (sum, { length }) => sum + Math.max(0, length - MOST_LINKS),
    0,
  );
  return {
    path: links.path,
    out: out.slice(0, MOST_LINKS),
    back: back.slice(0, MOST_LINKS),
    broken: broken.slice(0, MOST_LINKS),
    more,
    warnings,
  };
}

/** The text result of `memory_links`. */
export function linksText(answer: LinksAnswer): string {
  const { path, out, back, broken, more, disabled, warnings } = answer;
  if (disabled === true) return warningTexts(warnings).join('\n\n');
  const targets = broken.map(({ target, line }) => ({ path: target, line }));
  const lists = { 'links to': out, 'linked from': back, broken: targets };
  const sections = Object.entries(lists).flatMap(([title, links]) => {
    const rows = links.map((link) => `- ${safeLine(link.path)} (line ${link.line})`);
    return rows.length === 0 ? [] : [[`${title}:`, ...rows].join('\n')];
  });
  const body = sections.length === 0 ? [`${safeLine(path)} has no links`] : sections;
  const rest = more === 0 ? [] : [`[${more} more]`];
  return [...body, ...rest, ...warningTexts(warnings)].join('\n\n');
}
