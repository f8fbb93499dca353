import type { Warning } from '../../errors/index.js';
import { withoutFiles } from '../../memory/chunking/tokens.js';
import type { GetResponse } from '../../memory/get/index.js';
import type { OpenedMemory, Source } from '../../memory/index.js';
import {
  documentName,
  formatCitation,
  type SearchMode,
  type SearchResponse,
  withSourceFooter,
} from '../../memory/search/index.js';
import { formatCountOf } from '../../support/format.js';
import { safeLine } from '../../support/safe-line.js';
import { withEllipsis } from '../../support/text.js';
import { admission, type McpContext, shownWarning } from '../mcp-context.js';
import type { GetAnswer, GetInput, SearchAnswer, SearchInput } from './schemas.js';

/**
 * Searches for the server's session. Provider failures are warnings; throws only if there is no
 * answer at all.
 *
 * @param signal aborts when the client cancels
 * @throws SvcError
 */
export async function searchMemory(
  input: SearchInput,
  signal: AbortSignal,
  context: McpContext,
): Promise<SearchAnswer> {
  const { memory: live, session } = context;
  const memory = await live.opened();
  const { agent, backend } = memory;
  const refusal = admission(agent.scope, session);
  if (refusal !== undefined) {
    const nothing = { results: [], mode: 'lexical', provider: null, model: null } as const;
    return { ...nothing, citations: agent.citations, disabled: true, warnings: [refusal] };
  }
  const { query, maxResults, minScore, corpus, path, exact, debug = false, ...rest } = input;
  const { since, before, on, where, tags, heading, kinds } = rest;
  const filters = { since, before, on, where, tags, heading, kinds };
  const response = await backend.search(
    {
      query,
      maxResults,
      minScore,
      exact,
      filters,
      sources: sourcesOf(corpus),
      pathGlob: path,
      currentLast: true,
    },
    { signal, onEvent: live.emitSync },
  );
  const { dates } = response;
  const warnings = response.warnings.map((warning) => shownWarning(warning, context));
  return {
    results: response.results.map(
      ({
        highlights: _,
        bestLine: __,
        explanation: ___,
        snippetLine: ____,
        textScore,
        vectorScore,
        rerankScore,
        similar,
        ...result
      }) => ({
        ...withDocumentName(result),
        ...(debug && textScore !== undefined ? { textScore } : {}),
        ...(debug && vectorScore !== undefined ? { vectorScore } : {}),
        ...(debug && rerankScore !== undefined ? { rerankScore } : {}),
        ...(similar === undefined ? {} : { similar: similar.map(withDocumentName) }),
        snippet: withSourceFooter(result.snippet, result.citation),
      }),
    ),
    corrections: response.corrections.length === 0 ? undefined : response.corrections,
    ...(dates === null ? {} : { dates: { from: dates.from, to: dates.to } }),
    filters: response.filters,
    mode: response.mode,
    provider: response.provider,
    model: response.model,
    ...fallbackOf(memory, response.provider, warnings),
    citations: agent.citations,
    warnings,
    ...(debug ? { debug: debugOf(memory, response) } : {}),
  };
}

/** The path of a passage as `memory_get` takes it. */
function withDocumentName<
  P extends { readonly origin?: string | undefined; readonly path: string },
>({ origin, path, ...passage }: P) {
  return { path: documentName({ origin, path }), ...passage };
}

/** Collects what work warns about, as an agent gets it. */
export function shownWarnings(context: McpContext) {
  const warnings: Warning[] = [];
  const onWarning = (warning: Warning): number => warnings.push(shownWarning(warning, context));
  return { warnings, onWarning };
}

/** The sources of a corpus; undefined for all. */
export function sourcesOf(corpus: SearchInput['corpus']): readonly Source[] | undefined {
  return corpus === undefined || corpus === 'all' ? undefined : [corpus];
}

/** Only on request, since agents pay for every token. */
function debugOf(memory: OpenedMemory, response: SearchResponse): SearchAnswer['debug'] {
  return {
    backend: response.backend,
    configuredMode: configuredMode(memory),
    effectiveMode: response.mode,
    searchMs: response.searchMs,
    hits: response.matches,
    belowMinScore: response.belowMinScore,
  };
}

/** The mode of the settings, even if it is unavailable. */
function configuredMode({ providers, agent }: OpenedMemory): SearchMode {
  if (providers === undefined) return 'lexical';
  return agent.memorySearch.query.hybrid.enabled ? 'hybrid' : 'vector';
}

function fallbackOf(
  { providers }: OpenedMemory,
  provider: SearchResponse['provider'],
  warnings: readonly Warning[],
): Pick<SearchAnswer, 'fallback'> {
  const from = providers?.primary.choice.provider;
  const reason = warnings.find(({ code }) => code === 'PROVIDER_FALLBACK')?.message;
  if (provider === null || from === undefined || reason === undefined) return {};
  return { fallback: { from, reason } };
}

/** Keeps one call from filling an agent's context. */
const MAX_CHARACTERS = 12_000;

/**
 * Reads lines of an indexed file for the server's session.
 *
 * @param signal aborts when the client cancels
 * @throws SvcError DOCUMENT_NOT_INDEXED, DOCUMENT_UNREADABLE, RANGE_INVALID, …
 */
export async function getLines(
  { path, from, lines }: GetInput,
  signal: AbortSignal,
  context: McpContext,
): Promise<GetAnswer> {
  const { memory: live, session } = context;
  const { agent, backend } = await live.opened();
  const refusal = admission(agent.scope, session);
  if (refusal !== undefined) return { ...NOTHING, path, disabled: true, warnings: [refusal] };
  const request = { target: path, from, lines };
  const { warnings, onWarning } = shownWarnings(context);
  const response = await backend.get(request, { signal, onEvent: live.emitSync, onWarning });
  const whole = withoutFiles(response.text);
  const text = withinCharacters(whole);
  const lineCount = text === '' && whole === '' ? 0 : text.split('\n').length;
  const endLine = lastLine(response, lineCount);
  const truncated = response.truncated || text.length < whole.length;
  const { startLine, totalLines } = response;
  return {
    path: documentName(response),
    source: response.source,
    text,
    from: startLine,
    lines: lineCount,
    totalLines,
    truncated,
    ...(truncated && endLine < totalLines ? { nextFrom: endLine + 1 } : {}),
    ...(agent.citations === 'off'
      ? {}
      : { citation: formatCitation({ ...response, startLine, endLine }) }),
    warnings,
  };
}

const NOTHING = { text: '', from: 1, lines: 0, totalLines: 0, truncated: false } as const;

/** The last returned line of the file. Each turn of a conversation has its own line. */
function lastLine({ startLine, endLine, turns }: GetResponse, lineCount: number): number {
  if (turns === undefined) return Math.max(startLine, startLine + lineCount - 1);
  return lineCount < turns.length ? (turns[lineCount - 1]?.line ?? startLine) : endLine;
}

/** Cuts at a line end; a line that is too long on its own ends with an ellipsis. */
function withinCharacters(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const end = text.lastIndexOf('\n', MAX_CHARACTERS);
  return end > 0 ? text.slice(0, end) : withEllipsis(text, MAX_CHARACTERS);
}

/** The text result of `memory_search`. */
export function searchText(answer: SearchAnswer, query: string): string {
  const { results, corrections = [], mode, warnings } = answer;
  const count = formatCountOf(results.length, 'result');
  const head = `${count} for ${JSON.stringify(withEllipsis(query, MAX_QUERY_SHOWN))} (${mode})`;
  const instead = corrections.map(({ word, instead: words }) => {
    return `no match for ${JSON.stringify(word)}, searched for: ${words.join(', ')}`;
  });
  const passages = results.map((result, at) => {
    const { path, startLine, endLine, score, headingPath, snippet, similarCount } = result;
    const lines = startLine === endLine ? `line ${startLine}` : `lines ${startLine}-${endLine}`;
    const section = headingPath.length === 0 ? '' : `\nsection: ${headingPath.join(' > ')}`;
    const more = similarCount === undefined ? '' : `\n(and ${similarCount} more like this)`;
    const footer = withSourceFooter('', result.citation);
    const passage = snippet.slice(0, snippet.length - footer.length);
    return `${at + 1}. ${safeLine(path)}, ${lines}, score ${score.toFixed(2)}${section}\n${quoted(passage)}${footer}${more}`;
  });
  return [head, ...instead, ...passages, ...warningTexts(warnings)].join('\n\n');
}

/** A passage whose lines cannot be taken for lines of the answer, such as those of another result. */
function quoted(passage: string): string {
  return `> ${passage.split(/\r\n|[\n\r\u2028\u2029]/u).join('\n> ')}`;
}

/** The agent knows its query, and pays for the echo. */
const MAX_QUERY_SHOWN = 120;

/** The text result of `memory_get`. */
export function getText(answer: GetAnswer): string {
  const { text, citation, from, lines, totalLines, nextFrom, disabled, warnings } = answer;
  if (disabled === true) return warningTexts(warnings).join('\n\n');
  const source = citation === undefined ? [] : [`Source: ${safeLine(citation)}`];
  const rest =
    nextFrom === undefined
      ? []
      : [`[lines ${from}-${from + lines - 1} of ${totalLines}; continue with from: ${nextFrom}]`];
  return [text, ...rest, ...source, ...warningTexts(warnings)].join('\n\n');
}

/** Warnings at the end of a text result. */
export function warningTexts(warnings: SearchAnswer['warnings']): readonly string[] {
  return warnings.map(({ message, hint }) => {
    return `warning: ${safeLine(message)}${hint === undefined ? '' : `\nhint: ${hint}`}`;
  });
}
