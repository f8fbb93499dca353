import type { EvalEvent } from '../../engine/eval/index.js';
import { formatCount } from '../../engine/support/format.js';
import { fitEnd } from '../fit.js';
import type { ProgressLineOptions } from '../progress-line.js';
import { safeLine } from '../safe-text.js';
import { drawBar } from '../style.js';

/** Shows the progress of an evaluation. */
export interface EvalProgressLine {
  readonly onEvent: (event: EvalEvent) => void;
  /** Call it before anything else is written to the terminal. */
  readonly clear: () => void;
}

const REDRAW_EVERY_MS = 100;
const BAR_COLUMNS = 20;
const ERASE_LINE = '\r\u001B[2K';

/** The progress of an evaluation. @param write writes to a terminal, unchanged */
export function createEvalProgress(
  write: (text: string) => void,
  { style, columns, now }: ProgressLineOptions,
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
      // Indexing draws its own line.
      if (event.type === 'sync') clear();
      else if (event.type === 'misses.started') draw('analyzing misses', event.name);
      else if (event.type === 'question.asked') {
        if (now() - drawnMs < REDRAW_EVERY_MS) return;
        const { done, all, name } = event;
        const bar = drawBar(done / Math.max(1, all), BAR_COLUMNS);
        draw(`asking  ${bar}  ${formatCount(done)}/${formatCount(all)}`, name);
      }
    },
  };
}
