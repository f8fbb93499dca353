import type { LogLevel, LogRecord } from '../../../engine/serve/index.js';
import { formatCount } from '../../../engine/support/format.js';
import { createBrowser } from '../../components/browser.js';
import { BrowserScreen, browserFacts } from '../../components/browser-screen.js';
import type { BrowserState } from '../../components/browser-state.js';
import { helpLine, type KeyBinding } from '../../components/key-map.js';
import type { ListColumn } from '../../components/list.js';
import { type ListItem, listView } from '../../components/list-state.js';
import type { PaneLine } from '../../components/pane.js';
import { safeLine } from '../../safe-text.js';
import { levelPaint, localTime, otherFields } from '../../serve/log-line.js';
import type { Style } from '../../style.js';
import { mountScreen, type ScreenOptions } from '../../terminal/mount-screen.js';

/** A line of a log. */
export interface LogEntry extends ListItem {
  /** As it is in the file. */
  readonly line: string;
  /** Undefined for a line that is not a record. */
  readonly record: LogRecord | undefined;
}

interface LogSource {
  /** Entries of a level and above, the newest last. */
  readonly list: (minLevel: LogLevel) => readonly LogEntry[];
  readonly copy: (entry: LogEntry) => void;
  /** What the flags of the command restrict it to: `service webhooks`. */
  readonly restricted: readonly string[];
  /** The level that is listed first. */
  readonly minLevel: LogLevel;
}

/** Options of the screen. */
export interface LogsScreenOptions extends ScreenOptions {
  readonly log: LogSource;
  readonly onStop: (key: 'ctrl-c' | 'q') => void;
}

const LEVELS = [
  ['trace', 'a', 'all levels'],
  ['debug', 'd', 'debug and above'],
  ['info', 'i', 'info and above'],
  ['warn', 'w', 'warnings and errors'],
  ['error', 'e', 'errors only'],
] as const;

/** Opens a viewer of a log that is being written. */
export function openLogsScreen(options: LogsScreenOptions) {
  const { log, style, onStop } = options;
  const browser = createBrowser<LogEntry, (typeof LEVELS)[number][0]>({
    choices: ['trace', 'debug', 'info', 'warn', 'error'],
    list: async (minLevel) => ({ items: log.list(minLevel) }),
    details: async (entry) => detailsOf(entry, style),
    actions: [
      {
        key: 'y',
        name: 'copy',
        description: 'copy the line as JSON',
        run: async (entry) => {
          log.copy(entry);
          return 'copied the line';
        },
      },
    ],
    explain: (error) => (error instanceof Error ? error.message : String(error)),
  });
  const selectLast = (): void => browser.changeList({ type: 'moved', to: 'last' });
  const refresh = async (): Promise<void> => {
    const follows = isFollowing(browser.getSnapshot());
    await browser.refresh();
    if (follows) selectLast();
  };
  const showLevel = (choice: number): void => {
    browser.choose(choice);
    void browser.refresh().then(selectLast);
  };
  const firstLevel = log.minLevel === 'fatal' ? 'error' : log.minLevel;
  showLevel(LEVELS.findIndex(([level]) => level === firstLevel));
  const levelKeys = LEVELS.map(
    ([, key, description], choice): KeyBinding => ({
      on: [key],
      run: () => showLevel(choice),
      help: [key, `show ${description}`],
      ...(key === 'w' ? { bar: { text: 'a d i w e level', dropOrder: 3 } } : {}),
    }),
  );
  const screen = mountScreen(
    <BrowserScreen
      browser={browser}
      title={() => 'svc · logs'}
      facts={(state) => logFacts(state, browser.choices, log.restricted)}
      columns={() => columnsOf(style)}
      empty={() => 'no lines yet'}
      keys={() => ({ onStop, noun: 'line', extraKeys: [...levelKeys, FOLLOW_HELP] })}
    />,
    options,
  );
  return { refresh, failed: screen.failed, close: screen.unmount };
}

const FOLLOW_HELP: KeyBinding = {
  ...helpLine('G, end', 'follow new lines again; selecting an older line stops'),
  bar: { text: 'G follow', dropOrder: 2 },
};

/** Whether the newest line is selected, or there is none. */
function isFollowing({ list }: BrowserState<LogEntry>): boolean {
  const { matching, at } = listView(list);
  return at >= matching.length - 1;
}

function logFacts(
  state: BrowserState<LogEntry>,
  choices: readonly string[],
  restricted: readonly string[],
): readonly string[] {
  const { matching, at } = listView(state.list);
  const follow = isFollowing(state)
    ? 'following'
    : `paused, ${formatCount(matching.length - 1 - at)} below`;
  return [...restricted.map(safeLine), ...browserFacts(state, choices, 'line'), follow];
}

function columnsOf(style: Style): readonly ListColumn<LogEntry>[] {
  return [
    // The time of day in the reader's time zone.
    {
      title: 'time',
      cell: ({ record }) =>
        localTime(record?.time ?? '')
          .split(' ')
          .at(-1) ?? '',
    },
    {
      title: 'level',
      cell: ({ record }) => record?.level ?? '',
      paint: (text, { record }) =>
        record === undefined ? text : levelPaint(record.level, style)(text),
      dropOrder: 2,
    },
    { title: 'service', cell: ({ record }) => serviceOf(record), dropOrder: 1 },
    { title: 'message', cell: ({ record, line }) => messageOf(record, line) },
  ];
}

function serviceOf(record: LogRecord | undefined): string {
  const service = record?.fields['service'];
  return typeof service === 'string' ? safeLine(service) : '';
}

function messageOf(record: LogRecord | undefined, line: string): string {
  if (record === undefined) return safeLine(line);
  const fields = otherFields(record).map(([name, value]) => `${name}=${value}`);
  return safeLine([record.message, ...fields].join(' '));
}

/** All fields, one per line; a stack trace as it is. */
function detailsOf({ record, line }: LogEntry, style: Style): readonly PaneLine[] {
  if (record === undefined) return [{ text: line }];
  const { level, time, message, fields } = record;
  return [
    { label: 'time', text: `${localTime(time)} (${time})` },
    { label: 'level', text: level, paint: levelPaint(level, style) },
    { label: 'message', text: message },
    ...Object.entries(fields).map(([label, value]) => ({
      label: safeLine(label),
      text:
        typeof value === 'string' ? value : JSON.stringify(value, null, 2).replaceAll('\\n', '\n'),
    })),
  ];
}
