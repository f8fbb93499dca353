import { fitEnd } from '../fit.js';
import type { Style } from '../style.js';
import { type KeyHelp, keyLines } from './keys.js';

/** What the keys of a long-lived process's screen are about. */
export interface ServiceKeyWords {
  /** What is read anew. */
  readonly reloads: string;
  /** What a stop waits for. */
  readonly finishes: string;
}

/** The list of keys of a long-lived process; once it stops there is nothing left to reload. */
export function serviceKeyLines(
  isStopping: boolean,
  { reloads, finishes }: ServiceKeyWords,
  style: Style,
  columns: number,
): readonly string[] {
  const reload: KeyHelp = ['r', `reload ${reloads}`];
  const stop: KeyHelp = ['q, ctrl-c', isStopping ? 'stop at once' : `stop, after ${finishes}`];
  const close: KeyHelp = ['?, esc', 'close this list'];
  return keyLines(isStopping ? [stop, close] : [reload, stop, close], style, columns);
}

/** The last line of a long-lived process's screen. */
export function serviceFooter(isStopping: boolean, style: Style, columns: number): string {
  const keys = isStopping
    ? ['stopping', '? keys', 'q stop at once']
    : ['r reload', '? keys', 'q stop'];
  return style.dim(fitEnd(keys.join('   '), columns));
}
