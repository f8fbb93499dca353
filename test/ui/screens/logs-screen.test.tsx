import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  isAtLeast,
  type LogLevel,
  parseLogLine,
} from '../../../src/engine/serve/log/log-record.js';
import { type LogEntry, openLogsScreen } from '../../../src/ui/screens/logs/run.js';
import { createStyle } from '../../../src/ui/style.js';
import {
  assertFits,
  assertRestored,
  createTerminal,
  KEYS,
  TERMINAL_SIZES,
  waitForText,
} from '../../support/terminal.js';
import { waitFor } from '../../support/wait.js';

const test = suite('the log viewer');

function entryOf(id: number, level: LogLevel, msg: string, fields: object = {}): LogEntry {
  const time = new Date(1_795_000_000_000 + id * 1000).toISOString();
  const line = JSON.stringify({ level, time, pid: 1, msg, service: 'webhooks', ...fields });
  return { id: String(id), line, text: `${level} ${msg}`, record: parseLogLine(line) };
}

function open(entries: LogEntry[], columns = 100, rows = 20) {
  const terminal = createTerminal(columns, rows);
  terminal.stdout.write('$ svc logs\n');
  const copied: string[] = [];
  const stopped: string[] = [];
  const screen = openLogsScreen({
    stdin: terminal.stdin,
    stdout: terminal.stdout,
    style: createStyle(false),
    log: {
      list: (least) => entries.filter(({ record }) => isAtLeast(record, least)),
      copy: ({ line }) => copied.push(line),
      restricted: ['route ci'],
      minLevel: 'trace',
    },
    onStop: (key) => stopped.push(key),
  });
  const text = (): string => terminal.screen().join('\n');
  const hides = (part: string) => waitFor(`no ${part}`, () => !text().includes(part));
  return { terminal, screen, copied, stopped, text, hides };
}

function many(count: number): LogEntry[] {
  return Array.from({ length: count }, (_, at) =>
    entryOf(at, at % 10 === 0 ? 'warn' : 'info', `accepted ${at}`),
  );
}

for (const [columns, rows] of TERMINAL_SIZES) {
  test(`fits a terminal of ${columns} by ${rows} and restores it`, async () => {
    const { terminal, screen, text } = open(many(50), columns, rows);
    await waitForText(terminal, 'accepted 49');
    assertFits(terminal);
    assert.match(text(), 'following');
    await screen.close();
    assertRestored(terminal, '$ svc logs');
  });
}

test('new lines are followed until an older one is selected, and again with G', async () => {
  const entries = many(50);
  const { terminal, screen, text } = open(entries);
  await waitForText(terminal, 'accepted 49');
  entries.push(entryOf(50, 'info', 'accepted 50'));
  await screen.refresh();
  await waitForText(terminal, 'accepted 50');
  terminal.type('k');
  await waitForText(terminal, 'paused, 1 below');
  entries.push(entryOf(51, 'info', 'accepted 51'));
  await screen.refresh();
  await waitForText(terminal, 'paused, 2 below');
  assert.match(text(), /❯ .+accepted 49/u);
  terminal.type('G');
  await waitForText(terminal, 'following');
  assert.match(text(), /❯ .+accepted 51/u);
  await screen.close();
});

test('keys choose a level, / filters, and the header names both', async () => {
  const { terminal, screen, hides } = open(many(50));
  await waitForText(terminal, 'accepted 49');
  await waitForText(terminal, 'route ci');
  terminal.type('w');
  await waitForText(terminal, '5 lines');
  await hides('accepted 49');
  await waitForText(terminal, 'accepted 40');
  terminal.type('e');
  await waitForText(terminal, 'nothing under "error"');
  terminal.type('a/accepted 33');
  await waitForText(terminal, '1 of 50');
  terminal.type(KEYS.enter);
  await hides('accepted 34');
  await screen.close();
});

test('Enter shows all fields of a line, and y copies it', async () => {
  const err = { message: 'refused', stack: 'Error: refused\n    at listen' };
  const entries = [entryOf(1, 'error', 'a \u001B[31mfault', { requestId: 'r-1', err })];
  const { terminal, screen, copied, stopped, text } = open(entries, 80, 24);
  await waitForText(terminal, 'requestId=r-1');
  terminal.type(KEYS.enter);
  await waitForText(terminal, 'at listen');
  assert.match(text(), /requestId +r-1/u);
  terminal.type('y');
  await waitForText(terminal, 'copied the line');
  assert.equal(copied, [entries[0]?.line]);
  terminal.type(`${KEYS.escape}`);
  await waitForText(terminal, '/ filter');
  terminal.type('q');
  await waitFor('the end', () => stopped.length > 0);
  assert.equal(stopped, ['q']);
  await screen.close();
});

test.run();
