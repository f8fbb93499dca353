import type { PauseRecord } from '../../engine/flows/index.js';
import { formatRelativeTime } from '../../engine/support/format.js';
import { safeLine } from '../safe-text.js';
import type { ListOptions } from './list.js';

/** The runtimes that are paused, one per line; nothing if none is. */
export function renderPauses(
  pauses: readonly PauseRecord[],
  { style, nowMs }: Pick<ListOptions, 'nowMs' | 'style'>,
): string {
  return pauses
    .map(({ runtime, reason, pausedAt }) => {
      const why = reason === null ? '' : `: ${safeLine(reason)}`;
      const line = `${runtime} tasks paused ${formatRelativeTime(pausedAt, nowMs)}${why}`;
      return `${style.warning(line)}\n`;
    })
    .join('');
}
