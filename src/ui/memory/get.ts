import type { GetResponse } from '../../engine/memory/backends/memory-backend.js';
import { formatCount } from '../format.js';
import { safeProse } from '../safe-text.js';
import type { Style } from '../style.js';
import { renderTurns } from './turns.js';

/** How the lines of a document are shown. */
export interface GetOptions {
  readonly style: Style;
  /** Puts each line's number before it. */
  readonly lineNumbers: boolean;
  /** True where a terminal shows them: control characters are escaped. A pipe gets the text as is. */
  readonly escape: boolean;
}

/** The answer of `svc memory get`. */
export function renderGet(response: GetResponse, options: GetOptions): string {
  if (response.turns !== undefined) return renderTurns(response.turns, options);
  if (response.endLine < response.startLine) return '';
  const width = String(response.endLine).length;
  const lines = response.text.split('\n').map((line, index) => {
    const text = options.escape ? safeProse(line.replace(/\r$/, '')) : line;
    if (!options.lineNumbers) return text;
    const number = String(response.startLine + index).padStart(width);
    return `${options.style.dim(number)}  ${text}`.trimEnd();
  });
  return `${lines.join('\n')}\n`;
}

/** What to say on stderr when more was asked for than is given at once; undefined otherwise. */
export function restOfGet(response: GetResponse): string | undefined {
  if (!response.truncated) return undefined;
  const shown = `lines ${formatCount(response.startLine)} to ${formatCount(response.endLine)}`;
  const next = response.endLine + 1;
  return `${shown} of ${formatCount(response.totalLines)}; --from ${next} shows what follows\n`;
}
