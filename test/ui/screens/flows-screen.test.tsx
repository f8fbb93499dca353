import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PauseRecord } from '../../../src/engine/flow-model/task-record.js';
import { flowPaneLines, taskPaneLines } from '../../../src/ui/flows/details.js';
import { type ListRow, taskRow } from '../../../src/ui/flows/rows.js';
import { type FlowsChoice, openFlowsScreen } from '../../../src/ui/screens/flows/run.js';
import { createStyle } from '../../../src/ui/style.js';
import {
  assertFits,
  assertRestored,
  createTerminal,
  KEYS,
  waitForText,
} from '../../support/terminal.js';
import { waitFor } from '../../support/wait.js';
import { aFlow, anEntry, aTask, NOW } from '../flows/builders.js';

const test = suite('the screen of flows and tasks');

const STYLE = createStyle(false);

function taskRows(count: number): readonly ListRow[] {
  return Array.from({ length: count }, (_, at) => {
    const id = `${String(at).padStart(8, '0')}-task`;
    const failed = { status: 'failed', endedAt: NOW, error: 'exit 1' } as const;
    const row = taskRow(
      aTask({
        task: `step ${at} of \u001B[31m${at % 2 === 0 ? 'the build' : 'the report'}`,
        ...(at === 3 ? failed : {}),
      }),
      NOW,
    );
    return { ...row, id, cells: [id.slice(0, 8), ...row.cells.slice(1)] };
  });
}

interface OpenOptions {
  readonly kind?: 'flows';
  readonly pauses?: readonly PauseRecord[];
}

/** The screen of tasks in a terminal, with a list that a test changes. */
function open(columns: number, rows: number, options: OpenOptions = {}) {
  const terminal = createTerminal(columns, rows);
  terminal.stdout.write('$ svc task watch\r\n');
  const world = { items: taskRows(40), total: 40, orders: [] as string[], fails: false };
  const choices: FlowsChoice[] = [];
  const order = (action: string) => async (id: string) => {
    world.orders.push(`${action} ${id}`);
    if (world.fails) throw new Error(`cannot ${action}: the store is busy`);
    return `task ${id} was asked to ${action}`;
  };
  const screen = openFlowsScreen({
    stdin: terminal.stdin,
    stdout: terminal.stdout,
    style: STYLE,
    now: () => NOW,
    flows: {
      kind: options.kind ?? 'tasks',
      choices: ['all', 'active', 'failed'],
      list: async (choice) => {
        choices.push(choice);
        return { items: world.items, total: world.total, pauses: options.pauses ?? [] };
      },
      details: async (id) => {
        const { flow, summary } = aFlow({ stateJson: '{"week":9}', goal: 'a\nb' });
        const task = aTask({ task: `${'word '.repeat(80)}\u001B[2J` });
        const history = [anEntry({ note: '\u001B]0;x' })];
        if (options.kind === 'flows') {
          return flowPaneLines({ flow, summary, tasks: [task], history }, STYLE, NOW);
        }
        return [
          { text: `task ${id}` },
          ...taskPaneLines({ task, flow, history }, STYLE, NOW).slice(1),
        ];
      },
      cancel: order('cancel'),
      retry: order('retry'),
      explain: (error) => (error instanceof Error ? error.message : ''),
    },
    onStop: (key) => world.orders.push(key),
  });
  const shows = (text: string) => waitForText(terminal, text);
  const hides = (text: string) =>
    waitFor(`no ${text}`, () => !terminal.screen().join('\n').includes(text), terminal.screen);
  return { terminal, world, choices, screen, shows, hides };
}

for (const [columns, rows] of [
  [40, 15],
  [80, 24],
  [120, 40],
  [200, 60],
] as const) {
  test(`fits a terminal of ${columns} by ${rows}, with a list, details and keys`, async () => {
    const { terminal, screen, shows } = open(columns, rows);
    await screen.refresh();
    await shows('❯ 00000000');
    assert.match(terminal.screen()[0] ?? '', /svc · tasks.*40 tasks$/);
    assert.match(terminal.screen().join('\n'), rows === 60 ? /the report/ : /↓ \d+ more/);
    assert.match(terminal.screen().at(-1) ?? '', /⏎ open .*\? help {3}q quit$/);
    assertFits(terminal);
    terminal.type(KEYS.enter);
    await shows('task 00000000-task');
    assertFits(terminal);
    terminal.type('?');
    await shows('back to the list');
    assertFits(terminal);
    await screen.close();
    assertRestored(terminal, '$ svc task watch');
  });
}

test('a terminal of any size, even while resized often, shows a complete frame', async () => {
  const { terminal, screen, shows } = open(80, 24);
  await screen.refresh();
  await shows('❯ 00000000');
  for (let n = 1; n <= 40; n++) {
    const columns = 1 + ((n * 37) % 160);
    const rows = 1 + ((n * 11) % 50);
    terminal.resize(columns, rows);
    terminal.type(n % 3 === 0 ? KEYS.enter : n % 3 === 1 ? KEYS.escape : 'j');
    await new Promise((resolve) => setImmediate(resolve));
    const lines = terminal.screen();
    assert.ok(lines.length <= Math.max(1, rows), `${columns}×${rows}: ${lines.join('\n')}`);
  }
  terminal.resize(80, 24);
  await shows('40 tasks');
  await screen.close();
});

test('the selection stays on its task, in its row, while tasks come and go', async () => {
  const { terminal, world, screen, shows } = open(80, 24);
  await screen.refresh();
  await shows('❯ 00000000');
  terminal.type('jjj');
  await shows('❯ 00000003');
  const rowOf = () => terminal.screen().findIndex((line) => line.includes('❯'));
  terminal.type(`${KEYS.down.repeat(20)}`);
  await shows('❯ 00000023');
  const before = rowOf();
  world.items = [...taskRows(50).slice(45), ...world.items];
  await screen.refresh();
  await shows('↑ 12 more');
  await shows('↓ 16 more');
  assert.match(terminal.screen()[before] ?? '', '❯ 00000023');
  // The next task takes the row of one that disappears.
  world.items = world.items.filter(({ id }) => !id.startsWith('00000023'));
  await screen.refresh();
  await shows('❯ 00000024');
  assert.is(rowOf(), before);
  terminal.type('G');
  await shows('❯ 00000039');
  terminal.type('g');
  await shows('❯ 00000045');
  await screen.close();
});

test('a filter is typed, kept and removed', async () => {
  const { terminal, screen, shows, hides } = open(80, 24);
  await screen.refresh();
  await shows('❯ 00000000');
  terminal.type('/REPORT step');
  await shows('20 of 40');
  assert.is(terminal.buffer.cursorShown, true);
  assert.match(terminal.screen().at(-1) ?? '', /^ {2}\/ REPORT step +20 of 40$/);
  terminal.type(`${KEYS.pasteBegins}\u001B[31m3\njq${KEYS.pasteEnds}`);
  await shows('nothing matches the filter');
  terminal.type(KEYS.ctrlW.repeat(2));
  await shows('❯ 00000001');
  terminal.type(`${KEYS.enter}j`);
  await shows('❯ 00000003');
  assert.match(terminal.screen()[0] ?? '', '"REPORT" · 20 of 40 tasks');
  assert.is(terminal.buffer.cursorShown, false);
  terminal.type(KEYS.escape);
  await hides('REPORT');
  // The same task is still selected.
  assert.match(terminal.screen().join('\n'), '❯ 00000003');
  await screen.close();
});

test('actions ask first, and report their result or failure', async () => {
  const { terminal, world, screen, shows, hides } = open(80, 24);
  await screen.refresh();
  await shows('c cancel');
  assert.not.match(terminal.screen().join('\n'), 'r retry');
  terminal.type('cn');
  await hides('cancel task 00000000?');
  terminal.type('c');
  await shows('cancel task 00000000?  y/n');
  // Other keys are no answer.
  terminal.type('jx');
  // Neither is a click on another entry.
  terminal.type('\u001B[<0;4;9M\u001B[<0;4;9m');
  assert.equal(world.orders, []);
  terminal.type('y');
  await shows('task 00000000-task was asked to cancel');
  terminal.type('jjj');
  await shows('r retry');
  assert.not.match(terminal.screen().join('\n'), 'c cancel');
  terminal.type(`${KEYS.enter}`);
  await shows('esc back');
  world.fails = true;
  terminal.type('ry');
  await shows('cannot retry: the store is busy');
  terminal.type(KEYS.escape);
  await shows('❯ 00000003');
  assert.equal(world.orders, ['cancel 00000000-task', 'retry 00000003-task']);
  await screen.close();
});

test('f lists active tasks, then failed ones, and selects the newest', async () => {
  const { terminal, choices, screen, shows } = open(80, 24);
  await screen.refresh();
  terminal.type('jf');
  await shows('active · 40 tasks');
  await shows('❯ 00000000');
  terminal.type('f');
  await shows('failed · 40 tasks');
  terminal.type('f');
  await waitFor('all', () => choices.length >= 4);
  assert.equal(choices, ['all', 'active', 'failed', 'all']);
  await screen.close();
});

test('details are wrapped, scrolled and escaped', async () => {
  const { terminal, screen, shows } = open(60, 12);
  await screen.refresh();
  await shows('❯ 00000000');
  terminal.type(KEYS.enter);
  await shows('lines 1–');
  terminal.type('G');
  await shows('lease until');
  assert.match(terminal.screen().join('\n'), /lines \d+–(\d+) of \1$/m);
  terminal.type('g');
  await shows('task 00000000-task');
  terminal.type(' ');
  await shows('\\e[2J');
  await screen.close();
});

test('a flow shows its state on several lines, and its tasks', async () => {
  const { terminal, screen, shows } = open(80, 40, { kind: 'flows' });
  await screen.refresh();
  terminal.type(KEYS.enter);
  await shows('"week": 9');
  assert.match(terminal.screen().join('\n'), /goal +a\n +b\n/);
  assert.match(terminal.screen().join('\n'), /[\da-f]{8} +running · word/);
  assert.match(terminal.screen().join('\n'), 'changes, newest first');
  await screen.close();
});

test('q and Ctrl-C quit from everywhere, Esc goes back first', async () => {
  const { terminal, world, screen, shows, hides } = open(80, 24);
  await screen.refresh();
  terminal.type('?');
  await shows('show or close this help');
  terminal.type(KEYS.escape);
  await hides('close this help');
  terminal.type(KEYS.enter);
  await shows('esc back');
  terminal.type(KEYS.escape);
  await shows('❯ 00000000');
  terminal.type(KEYS.escape);
  await waitFor('it leaves', () => world.orders.length === 1);
  terminal.type(`${KEYS.enter}q`);
  terminal.type(`/${KEYS.ctrlC}`);
  await waitFor('all', () => world.orders.length === 3);
  assert.equal(world.orders, ['q', 'q', 'ctrl-c']);
  await screen.close();
});

test('control sequences in typed and pasted text are neither keys nor shown', async () => {
  const { terminal, world, screen, shows } = open(80, 24);
  await screen.refresh();
  await shows('❯ 00000000');
  terminal.type('\u001B[38;5;196mj\u001B[0m\u001B[<0;3;4m\u001B[I');
  await shows('❯ 00000001');
  // A paste is not a row of keys.
  terminal.type(`${KEYS.pasteBegins}qcy\u001B[31mjjj${KEYS.pasteEnds}j`);
  await shows('❯ 00000002');
  assert.equal(world.orders, []);
  await screen.close();
});

test('shows which runtimes are paused', async () => {
  const pauses = [{ runtime: 'cli', reason: 'a \u001B[2J move', pausedAt: NOW - 120_000 }] as const;
  const { terminal, screen, shows } = open(80, 24, { pauses });
  await screen.refresh();
  await shows('cli tasks paused 2 min ago: a \\e[2J move');
  await shows('❯ 00000000');
  terminal.type(KEYS.enter);
  await shows('task 00000000-task');
  await screen.close();
});

test('shows why the list cannot be read, above its last content, until it can', async () => {
  const { screen, shows, hides } = open(80, 24);
  await screen.refresh();
  await shows('❯ 00000000');
  screen.showOutage('cannot reach the server at \u001B[2Jdb:5432');
  await shows('retrying: cannot reach the server at \\e[2Jdb:5432');
  await shows('❯ 00000000');
  await screen.refresh();
  await hides('retrying');
  await screen.close();
});

test.run();
