import {
  isAtLeast,
  isSelected,
  type LineSelection,
  parseLogLine,
} from '../engine/serve/log/log-record.js';
import { followLog, readLogTail } from '../engine/serve/log/read-log.js';
import { anySignal } from '../engine/support/async.js';
import type { LogEntry } from '../ui/screens/logs/run.js';
import type { CommandContext } from './command-context.js';
import { screenOptions, toClipboard } from './terminal.js';

/** Enough to scroll through; older lines are dropped as new ones come. */
const MOST_ENTRIES = 5000;
const DRAW_MS = 30;

/**
 * Shows the log in a viewer until the user quits.
 *
 * @param lines how many of the newest to begin with; all that are kept if undefined
 * @returns whether Ctrl-C ended it
 */
export async function showLogs(
  file: string,
  { least, ...selection }: LineSelection,
  lines: number | undefined,
  { terminal, mask, ...command }: CommandContext,
): Promise<boolean> {
  const { openLogsScreen } = await import('../ui/screens/logs/run.js');
  const { service, route, requestId } = selection;
  // Other levels can be chosen in the viewer.
  const allLevels = { ...selection, least: 'trace' } as const;
  const tail = readLogTail(file, { ...allLevels, lines: lines ?? MOST_ENTRIES });
  let count = 0;
  const entryOf = (line: string): LogEntry => {
    count += 1;
    const shownLine = mask.text(line);
    const record = mask.data(parseLogLine(line));
    // Not the time: a number would match too much.
    const text =
      record === undefined
        ? shownLine
        : [record.level, record.message, JSON.stringify(record.fields)].join(' ');
    return { id: String(count), line: shownLine, text, record };
  };
  let entries = (tail?.lines ?? []).map(entryOf);
  const leaving = new AbortController();
  let isInterrupted = true;
  const screen = openLogsScreen({
    ...screenOptions(terminal),
    log: {
      list: (level) => entries.filter(({ record }) => isAtLeast(record, level)),
      copy: ({ line }) => toClipboard(line),
      restricted: [
        ...(service === undefined ? [] : [`service ${service}`]),
        ...(route === undefined ? [] : [`route ${route}`]),
        ...(requestId === undefined ? [] : [`request ${requestId}`]),
      ],
      minLevel: least,
    },
    onStop: (key) => {
      isInterrupted = key === 'ctrl-c';
      leaving.abort();
    },
  });
  const signal = anySignal([command.signal, leaving.signal]);
  let drawing: NodeJS.Timeout | undefined;
  const draw = (): void => {
    drawing = undefined;
    entries = entries.slice(-MOST_ENTRIES);
    void screen.refresh();
  };
  const follow = async (): Promise<void> => {
    for await (const line of followLog(file, { fromBytes: tail?.endBytes ?? 0, signal })) {
      if (!isSelected(parseLogLine(line), allLevels)) continue;
      entries.push(entryOf(line));
      // Lines that were written together are drawn together.
      drawing ??= setTimeout(draw, DRAW_MS);
    }
  };
  try {
    await Promise.race([follow(), screen.failed]);
  } finally {
    leaving.abort();
    clearTimeout(drawing);
    await screen.close();
  }
  return isInterrupted;
}
