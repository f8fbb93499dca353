import type { ScopeTestOutput } from '../../engine/scope/output-schemas.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';
import { alignRows } from '../table.js';

const CHAT_TYPE_SOURCES: Readonly<
  Record<NonNullable<ScopeTestOutput['session']['chatTypeFrom']>, string>
> = {
  given: 'as given',
  key: 'from the key',
  main: 'the main session',
  webchat: 'webchat channel',
};

/** The verdict, facts about the conversation, and every rule in order with a mark at the one that decides. */
export function renderScopeTest(result: ScopeTestOutput, style: Style): string {
  const { allowed, rule: decidingRule, why, rules } = result;
  const verdict = allowed ? style.ok('allowed') : style.fault('refused');
  const arrow = (isDeciding: boolean): string => (isDeciding ? '→' : '');
  const rows = rules.map((rule, at) => [
    arrow(decidingRule === at + 1),
    `${at + 1}`,
    rule.action,
    describeRule(rule),
    rule.matches ? 'matches' : style.dim('does not match'),
  ]);
  const last = [arrow(decidingRule === null), '', result.default, 'all others (default)', ''];
  return [
    `${verdict}: ${safeLine(why)}`,
    '',
    ...alignRows(sessionRows(result)).map((line) => `  ${line}`),
    '',
    ...alignRows([...rows, last], ['left', 'right', 'left', 'left', 'left']),
    '',
  ].join('\n');
}

function sessionRows({ session, citations }: ScopeTestOutput): readonly (readonly string[])[] {
  const { key, chatType, chatTypeFrom, channel, agent } = session;
  const because = chatTypeFrom === null ? '' : ` (${CHAT_TYPE_SOURCES[chatTypeFrom]})`;
  const kind = chatType === null ? 'unknown; set it with --chat-type' : `${chatType}${because}`;
  return [
    ['session key', safeLine(key ?? 'none')],
    ...(agent === null ? [] : [['agent', safeLine(agent)]]),
    ['chat type', kind],
    ['channel', safeLine(channel ?? 'unknown')],
    ['citations', `${citations.cites ? 'yes' : 'no'} (memory.citations is ${citations.mode})`],
  ];
}

function describeRule({ match }: ScopeTestOutput['rules'][number]): string {
  const parts = Object.entries(match ?? {});
  if (parts.length === 0) return 'every session';
  return parts
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${safeLine(value)}`]))
    .join(', ');
}
