import type { RecallOutput } from '../../engine/active-memory/index.js';
import { formatDuration } from '../../engine/support/format.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';
import { alignRows } from '../table.js';
import { lineAnchor } from './words.js';

const GATE_WORDS: Readonly<Record<RecallOutput['gates'][number]['gate'], string>> = {
  config: 'configuration',
  agent: 'agent',
  session: 'session',
  toggle: 'session switch',
  plugin: 'plugin (gate 1)',
  interactive: 'interactive session (gate 2)',
  chat_type: 'chat type',
  chat_id: 'chat id',
  scope: 'scope',
};

const STATUS_WORDS: Readonly<Record<RecallOutput['status'], string>> = {
  closed: 'a gate is closed',
  empty: 'nothing relevant in memory',
  ok: 'recalled',
  timeout: 'timed out',
  timeout_partial: 'partly recalled: timed out',
  unavailable: 'memory is unavailable',
};

/** Why nothing is added to the turn. */
export function whyNothing({ status, closedBy, gates }: RecallOutput): string {
  const closed = gates.find(({ gate }) => gate === closedBy);
  if (closed === undefined) return `nothing recalled: ${STATUS_WORDS[status]}`;
  const hint = closed.hint === undefined ? '' : `\n hint: ${safeLine(closed.hint)}`;
  return `nothing recalled: ${GATE_WORDS[closed.gate]}: ${safeLine(closed.why)}${hint}`;
}

/** The details of a recall: gates in order, query, sources and the block. */
export function renderRecall(output: RecallOutput, style: Style): string {
  const gates = output.gates.map(({ gate, open, why }) => [
    open ? style.ok('open') : style.fault('closed'),
    GATE_WORDS[gate],
    safeLine(why),
  ]);
  const hint = output.gates.find(({ open }) => !open)?.hint;
  const facts = alignRows(factRows(output));
  return [
    ...alignRows(gates),
    ...(hint === undefined ? [] : [` hint: ${safeLine(hint)}`]),
    '',
    ...facts,
    ...(output.block === null ? [] : ['', output.block]),
    '',
  ].join('\n');
}

function factRows(output: RecallOutput): readonly (readonly string[])[] {
  const { status, cached, breaker, query, queryMode, promptStyle, mode, model } = output;
  const notes = [
    ...(cached ? ['from the cache'] : []),
    ...(breaker === 'closed' ? [] : [`circuit breaker ${breaker.replace('_', ' ')}`]),
    formatDuration(output.elapsedMs),
  ];
  const rows = [['result', `${STATUS_WORDS[status]} (${notes.join(', ')})`]];
  if (query === null) return rows;
  rows.push([
    'query',
    query === '' ? 'empty: the message contains nothing to search for' : safeLine(query),
  ]);
  rows.push(['query mode', `${queryMode}, style ${promptStyle}`]);
  if (mode !== null) rows.push(['searched', mode]);
  if (output.block !== null)
    rows.push(['condensed by', model === null ? 'rules' : safeLine(model)]);
  for (const source of output.sources) {
    rows.push([
      'from',
      `${safeLine(source.path)}${lineAnchor(source)} (${source.score.toFixed(2)})`,
    ]);
  }
  return rows;
}
