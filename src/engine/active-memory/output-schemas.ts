import * as z from 'zod/mini';
import { promptStyle } from '../config/authoring.js';
import {
  type DocumentOf,
  documentSchema,
  field,
  line,
  listField,
} from '../errors/output-schema.js';
import { searchMode, source } from '../memory/output-schemas.js';
import { GATES } from './gates.js';
import { BREAKER_STATES } from './state-file.js';

/**
 * How a recall ended. `closed`: a gate is closed. `timeout_partial`: it ran out of time and uses partial
 * results. `unavailable`: memory could not be searched.
 */
const RECALL_STATUSES = [
  'closed',
  'empty',
  'ok',
  'timeout',
  'timeout_partial',
  'unavailable',
] as const;

const gate = z.enum(GATES);

/** `svc memory recall --json`. */
export const recallOutputSchema = documentSchema({
  status: field(
    z.enum(RECALL_STATUSES),
    '`ok`: something was recalled. `empty`: nothing in memory is relevant. `closed`: a gate is closed. `timeout_partial`: it ran out of time and recalled partial results. `timeout`: it ran out of time without results. `unavailable`: memory could not be searched. Only `ok` and `timeout_partial` change the turn.',
  ),
  agent: field.text('The agent whose memory was used.'),
  sessionKey: field.textOrNull('From `--session-key`; otherwise `null`.'),
  chatType: field(
    z.nullable(z.enum(['direct', 'group', 'channel', 'explicit'])),
    'From `--chat-type` or the session key; `null` if unknown.',
  ),
  gates: listField('The gates checked, in order, up to the first closed one.', {
    gate: field(
      gate,
      'See [active-memory.md](active-memory.md#gates). `plugin` and `interactive` are the two gates of the specification.',
    ),
    open: field.flag('False for at most the last one.'),
    why: field.text('A short explanation for people.'),
    hint: field.optionalText('How to open it.'),
  }),
  closedBy: field(z.nullable(gate), 'The closed gate; `null` if all are open.'),
  query: field.textOrNull('The search query; `null` if a gate is closed.'),
  queryMode: field(
    z.nullable(z.enum(['message', 'recent', 'full'])),
    'Configured `queryMode`; `null` if a gate is closed.',
  ),
  promptStyle: field(
    z.nullable(promptStyle),
    'Configured `promptStyle`, or the default for the query mode; `null` if a gate is closed.',
  ),
  mode: field(
    z.nullable(searchMode),
    'How memory was searched; `null` if it was not, or the answer came from the cache.',
  ),
  summary: field.textOrNull(
    'The recalled text, at most `maxSummaryChars`; `null` if there is none. Not escaped: use `block` in a prompt.',
  ),
  block: field.textOrNull('The text escaped and labelled, ready for a prompt.'),
  sources: listField('The passages it is based on.', {
    path: field.text('Path as in search results.'),
    source: field(source, '`memory`: a note. `sessions`: a conversation.'),
    startLine: field(line, 'First line of the passage, 1-based.'),
    endLine: field(line, 'Last line of the passage, inclusive.'),
    score: field(
      z.number().check(z.minimum(0), z.maximum(1)),
      '0 to 1; see [search.md](search.md#scores).',
    ),
  }),
  model: field.textOrNull('The model that condensed it; `null` if none was used.'),
  cached: field.flag('Whether the answer came from the cache.'),
  breaker: field(
    z.enum(BREAKER_STATES),
    'The circuit breaker. `open`: the last recalls all timed out, so providers and models are skipped for a while, and a memory that did not answer. `half_open`: this recall tried again.',
  ),
  elapsedMs: field(z.number(), 'Duration in milliseconds.'),
});

/** `svc memory recall --switch on|off --json`. */
export const recallSwitchOutputSchema = documentSchema({
  agent: field.text('The agent of the conversation.'),
  sessionKey: field.text('From `--session-key`.'),
  switchedOn: field.flag('Whether recalls are now on.'),
});

export type RecallOutput = DocumentOf<typeof recallOutputSchema>;
export type RecallSwitchOutput = DocumentOf<typeof recallSwitchOutputSchema>;
