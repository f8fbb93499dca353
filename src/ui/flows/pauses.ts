import type { PauseRecord } from '../../engine/flows/index.js';
import { formatRelativeTime } from '../../engine/support/format.js';
import { fitEnd } from '../fit.js';
import { safeLine } from '../safe-text.js';
import type { ListOptions } from './list.js';

/** The runtimes that are paused, one per line. @param columns cut lines to this width */
export function pauseLines(
  pauses: readonly PauseRecord[],
  { style, nowMs }: Pick<ListOptions, 'nowMs' | 'style'>,
  columns = Number.POSITIVE_INFINITY,
): readonly string[] {
  return pauses.map(({ runtime, reason, pausedAt }) => {
    const why = reason === null ? '' : `: ${safeLine(reason)}`;
    const line = `${runtime} tasks paused ${formatRelativeTime(pausedAt, nowMs)}${why}`;
    return style.warning(fitEnd(line, columns));
  });
}

/** The same as text; nothing if none is paused. */
export function renderPauses(
  pauses: readonly PauseRecord[],
  options: Pick<ListOptions, 'nowMs' | 'style'>,
): string {
  return pauseLines(pauses, options)
    .map((line) => `${line}\n`)
    .join('');
}
