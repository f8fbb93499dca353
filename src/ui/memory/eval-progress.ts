import type { EvalEvent } from '../../engine/eval/evaluate.js';
import { drawBar } from '../bar.js';
import { fitEnd } from '../fit.js';
import { formatCount } from '../format.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';

/** How the line is drawn. */
export interface EvalProgressOptions {
  readonly style: Style;
  readonly columns: number;
  /** Milliseconds on any steady clock. */
  readonly now: () => number;
}

/** A line at the bottom of stderr that redraws itself. */
export interface EvalProgressLine {
  readonly onEvent: (event: EvalEvent) => void;
  /** Takes the line away; must be called before anything else is written to the terminal. */
  readonly clear: () => void;
}

const REDRAW_EVERY_MS = 100;
const BAR_COLUMNS = 20;
const ERASE_LINE = '\r\u001B[2K';

/** How far an evaluation is. @param write goes to a terminal, as it is */
export function createEvalProgress(
  write: (text: string) => void,
  { style, columns, now }: EvalProgressOptions,
): EvalProgressLine {
  let drawnMs = Number.NEGATIVE_INFINITY;
  let shown = false;
  const draw = (head: string, name: string): void => {
    const room = columns - 1 - head.length - 2;
    const whose = room < 8 ? '' : `  ${style.dim(fitEnd(safeLine(name), room))}`;
    write(`${ERASE_LINE}${head.slice(0, Math.max(0, columns - 1))}${whose}`);
    shown = true;
    drawnMs = now();
  };
  const clear = (): void => {
    if (shown) write(ERASE_LINE);
    shown = false;
  };
  return {
    clear,
    onEvent: (event) => {
      // Indexing draws a line of its own.
      if (event.type === 'sync') clear();
      else if (event.type === 'misses.started') draw('looking into the misses', event.name);
      else if (event.type === 'question.asked') {
        if (now() - drawnMs < REDRAW_EVERY_MS) return;
        const { done, all, name } = event;
        const bar = drawBar(done / Math.max(1, all), BAR_COLUMNS);
        draw(`asking  ${bar}  ${formatCount(done)}/${formatCount(all)}`, name);
      }
    },
  };
}
