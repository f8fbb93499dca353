import type { GetResponse, ReadTurn } from '../../engine/memory/get/index.js';
import { formatCount, speaker } from '../../engine/support/format.js';
import { safeProse } from '../safe-text.js';
import type { Style } from '../style.js';

/** How the lines of a document, or turns of a conversation, are shown. */
export interface GetOptions {
  readonly style: Style;
  /** Prefixes each line with its number, or each turn with its line in the transcript. */
  readonly lineNumbers: boolean;
  /** Escapes control characters, for a terminal; a pipe gets the text unchanged. */
  readonly escape: boolean;
}

/** The output of `svc memory get`. */
export function renderGet(response: GetResponse, options: GetOptions): string {
  if (response.turns !== undefined) {
    return response.turns.map((turn) => renderTurn(turn, options)).join('\n');
  }
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

/** A note for stderr if the text was truncated. */
export function truncationNote(response: GetResponse): string | undefined {
  if (!response.truncated) return undefined;
  const range = `lines ${formatCount(response.startLine)} to ${formatCount(response.endLine)}`;
  if (response.endLine === response.totalLines) {
    return `${range} of ${formatCount(response.totalLines)}; the last line is too long and was cut\n`;
  }
  const next = response.endLine + 1;
  return `${range} of ${formatCount(response.totalLines)}; use --from ${next} to continue\n`;
}

/** A turn of a conversation; one around the requested ones is dimmed. */
export function renderTurn({ line, role, at, text, asked }: ReadTurn, options: GetOptions): string {
  const { style } = options;
  const who = speaker(role);
  const number = options.lineNumbers ? [style.dim(`#L${line}`)] : [];
  const when = at === null ? [] : [style.dim(turnTime(at))];
  const head = [...number, asked ? style.bold(who) : style.dim(who), ...when].join('  ');
  const lines = text.split('\n').map((row) => {
    const safe = options.escape ? safeProse(row.replace(/\r$/, '')) : row;
    // Painted line by line, so that a pager keeps the colour.
    return asked || safe === '' ? safe : style.dim(safe);
  });
  return `${[head, ...lines].join('\n')}\n`;
}

/** The time of a turn: `2026-02-03 04:05 UTC`. */
function turnTime(at: string): string {
  return `${at.slice(0, 'YYYY-MM-DD'.length)} ${at.slice('YYYY-MM-DDT'.length, 'YYYY-MM-DDTHH:MM'.length)} UTC`;
}
