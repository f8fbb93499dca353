import type { GivenTurn } from '../../engine/memory/backends/memory-backend.js';
import { safeProse } from '../safe-text.js';
import type { Style } from '../style.js';

/** How turns are shown. */
export interface TurnsOptions {
  readonly style: Style;
  /** Puts the transcript's line before each turn. */
  readonly lineNumbers: boolean;
  /** True where a terminal shows them: control characters are escaped. */
  readonly escape: boolean;
}

/** A stretch of a conversation: who, when, and what was said; what was not asked for is dimmed. */
export function renderTurns(turns: readonly GivenTurn[], options: TurnsOptions): string {
  return turns.map((turn) => renderTurn(turn, options)).join('\n');
}

function renderTurn({ line, role, at, text, asked }: GivenTurn, options: TurnsOptions): string {
  const { style } = options;
  const who = role === 'user' ? 'User' : 'Assistant';
  const number = options.lineNumbers ? [style.dim(`#L${line}`)] : [];
  const when = at === null ? [] : [style.dim(shownTime(at))];
  const head = [...number, asked ? style.bold(who) : style.dim(who), ...when].join('  ');
  const said = text.split('\n').map((row) => {
    const shown = options.escape ? safeProse(row.replace(/\r$/, '')) : row;
    // Line by line: a pager that shows a part keeps the colour.
    return asked || shown === '' ? shown : style.dim(shown);
  });
  return `${[head, ...said].join('\n')}\n`;
}

/** `2026-02-03 04:05 UTC`. */
function shownTime(at: string): string {
  return `${at.slice(0, 'YYYY-MM-DD'.length)} ${at.slice('YYYY-MM-DDT'.length, 'YYYY-MM-DDTHH:MM'.length)} UTC`;
}
