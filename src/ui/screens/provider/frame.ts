import type { CheckName, CheckOutcome } from '../../../engine/embeddings/index.js';
import type { SourceLocation } from '../../../engine/errors/index.js';
import { fitEnd } from '../../fit.js';
import { checkLines, verdictLines } from '../../provider/check-lines.js';

import { safeLine } from '../../safe-text.js';
import type { Style } from '../../style.js';
import type { TerminalSize } from '../../terminal/size.js';
import { type KeyHelp, keyLines } from '../keys.js';
import { insideMargin, withMargin } from '../lines.js';
import type { ProviderScreenState } from './state.js';

const MAX_COLUMNS = 100;

const KEYS: readonly KeyHelp[] = [
  ['r', 'test again'],
  ['e', 'open the setting in $EDITOR'],
  ['q, ctrl-c', 'quit'],
  ['?, esc', 'close help'],
];

/** Checks of an external search program, in display order; repeated here since views load no engine code. */
const EXT_ORDER = [
  'program',
  'release',
  'collections',
  'question',
  'vectors',
] as const satisfies readonly CheckName[];

/** Checks of a provider. */
const ORDER = [
  'selected',
  'key',
  'endpoint',
  'embed',
  'batch',
  'fallback',
  'vectors',
  'rerank',
] as const satisfies readonly CheckName[];

/** The lines of the diagnostics screen, always smaller than the terminal. */
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
  // If there is no room, the title is dropped first, then checks from the top: problems come
  // last, then the keys.
  const lines = [head, ...body, ...end];
  return withMargin(lines, room);
}

/** The setting to open: that of the first check with a problem, else of the selected provider. */
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
  return style.dim(fitEnd(['r refresh', ...edit, '? help', 'q quit'].join('   '), columns));
}
