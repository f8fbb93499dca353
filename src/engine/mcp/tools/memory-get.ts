import type { GetResponse } from '../../memory/backends/memory-backend.js';
import { formatCitation } from '../../memory/search/citation.js';
import { citesFor } from '../../scope/index.js';
import type { McpWorld } from '../mcp-world.js';
import { admission } from '../scope-admission.js';
import type { GetAnswer, GetInput } from './schemas.js';

/** Most characters given at once, so that one call does not fill an agent's context. */
const MAX_CHARACTERS = 12_000;

/**
 * Reads lines of an indexed file for the conversation that the server is for.
 *
 * @param signal aborts when the client takes its request back
 * @throws SvcError DOCUMENT_NOT_INDEXED, DOCUMENT_UNREADABLE, RANGE_INVALID, …
 */
export async function getLines(
  { path, from, lines }: GetInput,
  signal: AbortSignal,
  { memory: live, session, mask }: McpWorld,
): Promise<GetAnswer> {
  const { agent, backend } = await live.opened();
  const refusal = admission(agent.scope, session);
  if (refusal !== undefined) return { ...NOTHING, path, disabled: true, warnings: [refusal] };
  const request = {
    target: path,
    ...(from === undefined ? {} : { from }),
    ...(lines === undefined ? {} : { lines }),
  };
  const response = await backend.get(request, { signal, onEvent: live.heardSync });
  const text = withinCharacters(response.text);
  const given = text === '' && response.text === '' ? 0 : text.split('\n').length;
  const endLine = lastLine(response, given);
  const truncated = response.truncated || text.length < response.text.length;
  const { startLine, totalLines } = response;
  const cites = citesFor(agent.citations, session);
  return {
    path: response.path,
    source: response.source,
    text,
    from: startLine,
    lines: given,
    totalLines,
    truncated,
    ...(truncated && endLine < totalLines ? { nextFrom: endLine + 1 } : {}),
    ...(cites ? { citation: formatCitation(response.path, { startLine, endLine }) } : {}),
    warnings: mask.data(response.warnings.map((warning) => ({ ...warning }))),
  };
}

const NOTHING = { text: '', from: 1, lines: 0, totalLines: 0, truncated: false } as const;

/** The last line that is given, in the file. A turn of a conversation stands in a line of its own there. */
function lastLine({ startLine, endLine, turns }: GetResponse, given: number): number {
  if (turns === undefined) return Math.max(startLine, startLine + given - 1);
  return given < turns.length ? (turns[given - 1]?.line ?? startLine) : endLine;
}

/** Whole lines where there is more than one; never half a surrogate pair. */
function withinCharacters(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const end = text.lastIndexOf('\n', MAX_CHARACTERS);
  return text.slice(0, end > 0 ? end : MAX_CHARACTERS).replace(/[\uD800-\uDBFF]$/u, '');
}
