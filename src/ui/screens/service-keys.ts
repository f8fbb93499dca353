import { fitEnd } from '../fit.js';
import type { Style } from '../style.js';
import { type KeyHelp, keyLines } from './keys.js';

/** What the keys of a service's screen affect. */
export interface ServiceKeyWords {
  /** What is reloaded. */
  readonly reloads: string;
  /** What a stop waits for. */
  readonly finishes: string;
}

/** The list of keys; while stopping, nothing can be reloaded. */
export function serviceKeyLines(
  isStopping: boolean,
  { reloads, finishes }: ServiceKeyWords,
  style: Style,
  columns: number,
): readonly string[] {
  const reload: KeyHelp = ['r', `reload ${reloads}`];
  const stop: KeyHelp = ['q, ctrl-c', isStopping ? 'stop now' : `finish ${finishes} and stop`];
  const close: KeyHelp = ['?, esc', 'close help'];
  return keyLines(isStopping ? [stop, close] : [reload, stop, close], style, columns);
}

/** The last line of a service's screen. */
export function serviceFooter(isStopping: boolean, style: Style, columns: number): string {
  const keys = isStopping ? ['stopping', '? help', 'q stop now'] : ['r reload', '? help', 'q stop'];
  return style.dim(fitEnd(keys.join('   '), columns));
}
