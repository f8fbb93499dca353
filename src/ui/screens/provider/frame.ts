import type { CheckName, CheckOutcome } from '../../../engine/embeddings/diagnosis/events.js';
import type { SourceLocation } from '../../../engine/errors/index.js';
import { fitEnd } from '../../fit.js';
import { checkLines } from '../../provider/check-lines.js';
import { verdictLines } from '../../provider/diagnosis.js';
import { safeLine } from '../../safe-text.js';
import type { Style } from '../../style.js';
import { type KeyHelp, keyLines } from '../keys.js';
import { insideMargin, withMargin } from '../margin.js';
import type { TerminalSize } from '../terminal-size.js';
import type { ProviderScreenState } from './state.js';

const MAX_COLUMNS = 100;

const KEYS: readonly KeyHelp[] = [
  ['r', 'look again'],
  ['e', 'open the setting in $EDITOR'],
  ['q, ctrl-c', 'leave'],
  ['?, esc', 'close this list'],
];

/** The order of the lines for an external search program; literals, since views load nothing of the engine. */
const EXT_ORDER = [
  'program',
  'release',
  'collections',
  'question',
  'vectors',
] as const satisfies readonly CheckName[];

/** The same for a provider. */
const ORDER = [
  'selected',
  'key',
  'endpoint',
  'embed',
  'batch',
  'fallback',
  'vectors',
] as const satisfies readonly CheckName[];

/** The lines of the diagnostics screen at a size; never wider, and never as tall as the terminal. */
export function providerFrame(
  state: ProviderScreenState,
  title: string,
  style: Style,
  size: TerminalSize,
): readonly string[] {
  const { columns, rows: room } = insideMargin(size, MAX_COLUMNS);
  const { checks, diagnosis } = state;
  const order = checks.program === undefined ? ORDER : EXT_ORDER;
  const body = order.flatMap((check) => {
    const shown = checks[check] ?? (diagnosis === undefined ? 'waiting' : undefined);
    return shown === undefined ? [] : checkLines(check, shown, { style, columns });
  });
  const head = style.bold(fitEnd(`svc · ${safeLine(title)}`, columns));
  const end = [
    ...(diagnosis === undefined ? [] : verdictLines(diagnosis, { style, columns })),
    ...(state.help ? helpLines(state, style, columns) : []),
    footer(state, style, columns),
  ];
  // Where there is no room the title goes first, then the checks from the top: what is wrong stands
  // below, and the keys last.
  const lines = [head, ...body, ...end];
  return withMargin(lines, room);
}

/** The setting that would be opened: that of the first check that is not well, else of the choice. */
export function editTarget({ checks }: ProviderScreenState): SourceLocation | undefined {
  const outcomes = ORDER.flatMap((check): CheckOutcome[] => {
    const shown = checks[check];
    return shown === undefined || shown === 'running' ? [] : [shown];
  });
  const troubled = outcomes.find(
    ({ state, location }) => location !== undefined && (state === 'failed' || state === 'warning'),
  );
  return (troubled ?? outcomes.find(({ location }) => location !== undefined))?.location;
}

function helpLines(state: ProviderScreenState, style: Style, columns: number): readonly string[] {
  const keys = editTarget(state) === undefined ? KEYS.filter(([key]) => key !== 'e') : KEYS;
  return keyLines(keys, style, columns);
}

function footer(state: ProviderScreenState, style: Style, columns: number): string {
  const target = editTarget(state);
  const file = safeLine(target?.file.replace(/^.*[\\/]/u, '') ?? '');
  const edit = target === undefined ? [] : [`e open ${file}:${target.line}`];
  return style.dim(fitEnd(['r again', ...edit, '? keys', 'q leave'].join('   '), columns));
}
