import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Overview } from '../../../src/engine/overview/follow-overview.js';
import { NEVER } from '../../../src/engine/support/async.js';
import { ScreenContext } from '../../../src/ui/components/rows.js';
import type { Note } from '../../../src/ui/components/screen.js';
import { createState } from '../../../src/ui/components/store.js';
import { textWidth } from '../../../src/ui/fit.js';
import { homeRows } from '../../../src/ui/screens/home/frame.js';
import type { HomeTarget } from '../../../src/ui/screens/home/lines.js';
import type { PaletteCommand } from '../../../src/ui/screens/home/palette.js';
import {
  type HomeEnd,
  type HomeFollower,
  HomeScreen,
  type HomeScreenOptions,
  type PreparedScreen,
  runHomeScreen,
} from '../../../src/ui/screens/home/run.js';
import {
  changeLines,
  type HomeState,
  initialHome,
  updateHome,
} from '../../../src/ui/screens/home/state.js';
import { createStyle } from '../../../src/ui/style.js';
import { render } from '../../support/render-view.js';
import {
  assertFits,
  assertRestored,
  createTerminal,
  type FakeTerminal,
  KEYS,
  TERMINAL_SIZES,
  waitForText,
} from '../../support/terminal.js';
import { waitFor } from '../../support/wait.js';
import { anAgent, busyOverview, EMBEDDED, emptyOverview, INDEXED, NOW } from './home-builders.js';

const test = suite('the home screen');

const plain = { style: createStyle(false), homeDir: '/home/ada', hintFor: String };

const NOTHING = { overview: {}, reserved: { dreams: 1, storage: false } };

function stateOf(overview: Partial<Overview>, selected?: string): HomeState {
  const state = initialHome({ ...NOTHING, nowMs: NOW, overview });
  return selected === undefined
    ? state
    : { ...state, ...changeLines(state, { type: 'selected', id: selected }) };
}

/** What the screen shows between its title and its keys, in a terminal of a size. */
function bodyOf(overview: Partial<Overview>, columns = 80, rows = 24, selected?: string): string {
  const area = { columns: columns - 4, rows: rows - 5 };
  return homeRows(stateOf(overview, selected), plain, area)
    .map(({ text }) => text)
    .join('\n');
}

const COMMANDS: readonly PaletteCommand[] = [
  {
    id: 'config get',
    text: 'config get Print one value.',
    summary: 'Print one value.',
    values: [{ name: 'path', flag: undefined, description: 'A key.', isRequired: true }],
    takesAgent: false,
  },
  {
    id: 'memory status',
    text: 'memory status Show what is indexed.',
    summary: 'Show what is indexed.',
    values: [],
    takesAgent: true,
  },
];

test('a full MEMORY.md is shown in the line for dreaming, with a hint', () => {
  const overview = busyOverview();
  const full = { ...overview, dreams: overview.dreams.map((one) => ({ ...one, isFull: true })) };
  const screen = bodyOf(full, 100, 40, 'dreams 0');
  assert.match(screen, /dreams +MEMORY\.md is full · next sweep/u);
  assert.match(screen, 'nothing is promoted: move your own lines');
  assert.not.match(bodyOf(overview, 100, 40, 'dreams 0'), 'full');
});

interface StartedHome {
  readonly terminal: FakeTerminal;
  readonly end: Promise<HomeEnd>;
  readonly update: (overview: Partial<Overview>) => void;
  readonly endFollowing: (why: string) => void;
  readonly targets: HomeTarget[];
  readonly calls: string[];
}

function start(
  terminal: FakeTerminal,
  options: Partial<Pick<HomeScreenOptions, 'previous' | 'prepare' | 'signal'>> = {},
): StartedHome {
  const targets: HomeTarget[] = [];
  const calls: string[] = [];
  let update: StartedHome['update'] = () => undefined;
  let endFollowing: StartedHome['endFollowing'] = () => undefined;
  const follower: HomeFollower = {
    refresh: () => calls.push('refresh'),
    close: async () => {
      calls.push('close');
    },
  };
  const end = runHomeScreen({
    stdin: terminal.stdin,
    stdout: terminal.stdout,
    ...plain,
    now: () => NOW,
    follow: (onOverview, onEnd) => {
      calls.push('follow');
      update = onOverview;
      endFollowing = onEnd;
      return follower;
    },
    explain: (error) => (error instanceof Error ? error.message : 'unknown'),
    known: NOTHING,
    commands: () => COMMANDS,
    previous: undefined,
    signal: NEVER,
    ...options,
    prepare: async (target, signal) => {
      targets.push(target);
      return options.prepare?.(target, signal) ?? (async () => undefined);
    },
  });
  return {
    terminal,
    end,
    targets,
    calls,
    update: (overview) => update(overview),
    endFollowing: (why) => endFollowing(why),
  };
}

for (const [columns, rows] of TERMINAL_SIZES) {
  test(`fits a terminal of ${columns} by ${rows}, shows everything and restores it`, async () => {
    const terminal = createTerminal(columns, rows);
    terminal.stdout.write('$ svc\n');
    const { end, update, calls } = start(terminal);
    await waitForText(terminal, 'checking …');
    update(busyOverview());
    await waitForText(terminal, '1 fault');
    const lines = terminal.screen();
    assertFits(terminal);
    const text = lines.join('\n');
    assert.match(text, /❯ ✓ +main +up to date/);
    assert.match(text, /! +work +12 stale/);
    assert.match(text, /✓ +listener +127\.0\.0\.1:8787/);
    assert.match(text, /● +flows +3 running · 1 waiting/);
    assert.match(text, /● +tasks +1 running · 2 queued/);
    assert.match(text, /✓ +dreams +next sweep in 5 h/);
    assert.match(text, /✗ +faults +1 fault · 1 warning/);
    assert.match(text, /\? help {3}q quit/);
    if (columns > 60) assert.match(text, /up to date +1,283 +13,115 +2 min ago +openai/);
    terminal.type('q');
    assert.equal(await end, { type: 'left' });
    assert.equal(calls, ['follow', 'close']);
    assertRestored(terminal, '$ svc');
  });
}

for (const columns of [60, 80, 200]) {
  test(`the view alone reflows at ${columns} columns, in ink's own renderer`, async () => {
    const initial = initialHome({ ...NOTHING, nowMs: NOW });
    const store = createState(updateHome(initial, busyOverview(), NOW));
    const left: string[] = [];
    const view = render(
      <ScreenContext value={{ stdout: createTerminal(columns, 24).stdout, style: plain.style }}>
        <HomeScreen
          store={store}
          hintFor={String}
          homeDir={plain.homeDir}
          handlers={{
            dispatch: store.dispatch,
            onOpen: ({ kind }) => left.push(kind),
            onPalette: () => left.push('palette'),
            onRefresh: () => left.push('refresh'),
            onLeave: () => left.push('leave'),
          }}
        />
      </ScreenContext>,
    );
    const frame = (): string => view.lastFrame() ?? '';
    assert.match(frame(), 'up to date');
    assert.match(frame(), '⏎ search');
    await waitFor('the keys to work', () => {
      view.stdin.write('j');
      return frame().includes('⏎ routes');
    });
    view.stdin.write('r');
    view.stdin.write(KEYS.enter);
    await waitFor('two calls', () => left.length === 2);
    assert.is(left[0], 'refresh');
    view.unmount();
  });
}

test('after installation, it shows the next step, and Enter runs it', async () => {
  for (const [columns, rows] of TERMINAL_SIZES) {
    const text = bodyOf(emptyOverview(), columns, rows);
    assert.match(text, /❯ · +set up +nothing is set up yet · svc config init/);
    assert.not.match(text, /there is no workspace|✗/);
    if (rows < 24) continue;
    assert.match(text.replaceAll(/\n +/g, ' '), /press Enter to set it up \(svc config init\)/);
    assert.match(text.replaceAll(/\n +/g, ' '), /svc memory search -w \.\/notes/);
  }
  const terminal = createTerminal(80, 24);
  const { end, update, targets } = start(terminal);
  await waitForText(terminal, 'checking …');
  update(emptyOverview());
  await waitForText(terminal, 'set svc up');
  terminal.type(KEYS.enter);
  assert.is((await end).type, 'open');
  assert.equal(targets, [{ kind: 'set-up' }]);
});

test('each line opens its screen, and an agent has four', async () => {
  const cases: readonly (readonly [keys: string, target: HomeTarget])[] = [
    [KEYS.enter, { kind: 'search', agent: 'main' }],
    ['j\r', { kind: 'search', agent: 'work' }],
    ['c', { kind: 'candidates', agent: 'main' }],
    ['G\r', { kind: 'doctor' }],
    ['Gg\r', { kind: 'search', agent: 'main' }],
    ['/dreams\r\r', { kind: 'candidates', agent: 'main' }],
    ['i', { kind: 'index', agent: 'main' }],
    ['d', { kind: 'diagnosis', agent: 'main' }],
    ['jj\r', { kind: 'listener' }],
    ['jjj\r', { kind: 'flows' }],
    ['jjjj\r', { kind: 'tasks' }],
    ['jjjjj\r', { kind: 'candidates', agent: 'main' }],
    ['jjjjjjjjjj\r', { kind: 'doctor' }],
  ];
  for (const [keys, target] of cases) {
    const terminal = createTerminal(80, 24);
    const { end, update, targets } = start(terminal);
    await waitForText(terminal, 'checking …');
    update(busyOverview());
    await waitForText(terminal, '1 fault');
    terminal.type(keys);
    assert.is((await end).type, 'open');
    assert.equal(targets, [target]);
  }
});

test('home stays until a screen is ready, and shows why one cannot be opened', async () => {
  const terminal = createTerminal(80, 24);
  let settle: (outcome: PreparedScreen | Note | Error) => void = () => undefined;
  const prepare = () =>
    new Promise<PreparedScreen | Note>((resolve, reject) => {
      settle = (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome));
    });
  const { end, update, targets } = start(terminal, { prepare });
  await waitForText(terminal, 'checking …');
  update(busyOverview());
  await waitForText(terminal, '1 fault');
  // Typed twice at once: only one screen is opened.
  terminal.type('\r\r');
  await waitForText(terminal, 'opening …');
  settle(new Error('memory search is switched off'));
  await waitForText(terminal, 'memory search is switched off');
  assert.is(targets.length, 1);
  terminal.type(KEYS.enter);
  await waitForText(terminal, 'opening …');
  settle({ text: 'there are no flows yet', isFault: false });
  await waitForText(terminal, 'there are no flows yet');
  terminal.type(KEYS.enter);
  await waitForText(terminal, 'opening …');
  assert.ok(terminal.buffer.alternate);
  const opened = async (): Promise<Note> => ({ text: 'main: 1 added', isFault: false });
  settle(opened);
  const ended = await end;
  assert.is(ended.type === 'open' && ended.open, opened);
  assert.not(terminal.buffer.alternate);
});

test('quitting meanwhile aborts the preparation before anything is opened', async () => {
  const terminal = createTerminal(80, 24);
  let wasShown: boolean | undefined;
  const prepare = (_: HomeTarget, signal: AbortSignal) =>
    new Promise<Note>((resolve) => {
      signal.addEventListener('abort', () => {
        wasShown = terminal.buffer.alternate;
        resolve({ text: '', isFault: false });
      });
    });
  const { end } = start(terminal, { prepare });
  await waitForText(terminal, 'checking …');
  terminal.type(KEYS.enter);
  await waitForText(terminal, 'opening …');
  terminal.type('q');
  assert.is((await end).type, 'left');
  assert.is(wasShown, true);
});

test('opening and closing screens repeatedly leaves no handler behind', async () => {
  const terminal = createTerminal(80, 24);
  const count = (): readonly number[] => [
    ...['readable', 'data', 'end'].map((name) => terminal.stdin.listenerCount(name)),
    ...['resize', 'error', 'drain'].map((name) => terminal.stdout.listenerCount(name)),
    ...['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => process.listenerCount(name)),
  ];
  const outside = new AbortController();
  let previous: { readonly state: HomeState; readonly result: Note | undefined } | undefined;
  let first: readonly number[] | undefined;
  for (let round = 0; round < 12; round++) {
    const { end, update, calls } = start(terminal, { previous, signal: outside.signal });
    if (previous === undefined) {
      await waitForText(terminal, 'checking …');
      update(busyOverview());
    }
    // What was known is there at once, and the line that was left is chosen.
    await waitForText(terminal, '1 fault');
    if (round > 0) assert.match(terminal.screen().join('\n'), /❯ ! +work/);
    if (round > 0) await waitForText(terminal, `round ${round - 1}`);
    terminal.type(round === 0 ? `j${KEYS.enter}` : KEYS.enter);
    const ended = await end;
    assert.equal(calls, ['follow', 'close']);
    if (ended.type !== 'open') throw new Error('home was left');
    previous = { state: ended.state, result: { text: `round ${round}`, isFault: false } };
    first ??= count();
  }
  assert.equal(count(), first);
});

test('unchanged data draws nothing, and an agent without details keeps its earlier ones', async () => {
  const terminal = createTerminal(80, 24);
  const { end, update, endFollowing, calls } = start(terminal);
  await waitForText(terminal, 'checking …');
  update(busyOverview());
  await waitForText(terminal, '1 fault');
  const writes = terminal.writes();
  for (let n = 0; n < 50; n++) {
    update(busyOverview());
    await new Promise((resolve) => setImmediate(resolve));
  }
  update({
    agents: busyOverview().agents.map(({ name }) => ({ name, status: undefined, faults: [] })),
  });
  endFollowing('it exited with 1');
  await waitForText(terminal, 'no longer updated: it exited with 1; press r to retry');
  // One frame, which is a few writes.
  assert.ok(terminal.writes() - writes <= 4, `${terminal.writes() - writes} writes`);
  assert.match(terminal.screen().join('\n'), /✓ +main +up to date/);
  terminal.type('r');
  await waitFor('following again', () => calls.filter((name) => name === 'follow').length === 2);
  terminal.type('r');
  await waitFor('a refresh', () => calls.includes('refresh'));
  terminal.type('?');
  await waitForText(terminal, 'update its index');
  terminal.type(KEYS.escape);
  await waitFor(
    'the list to close',
    () => !terminal.screen().join('\n').includes('update its index'),
  );
  terminal.type(KEYS.escape);
  assert.equal(await end, { type: 'left' });
});

test('the list of keys scrolls where it does not fit', async () => {
  const terminal = createTerminal(40, 10);
  const { end, update } = start(terminal);
  update(busyOverview());
  await waitForText(terminal, '❯');
  terminal.type('?');
  await waitForText(terminal, 'lines 1–');
  assert.not.match(terminal.screen().join('\n'), /ctrl-c/u);
  terminal.type('G');
  await waitForText(terminal, 'q, ctrl-c');
  terminal.type(KEYS.escape);
  await waitForText(terminal, '❯');
  terminal.type('q');
  assert.equal(await end, { type: 'left' });
});

test('what does not fit on a line is shown below it', () => {
  const overview = busyOverview();
  assert.match(bodyOf(overview), '~/main · text-embedding-3-small');
  assert.match(bodyOf(overview, 80, 24, 'agent work'), 'stale: memory/a.md, …');
  assert.match(bodyOf(overview, 80, 24, 'listener'), 'last response 20 s ago: 200 create_flow');
  const faults = bodyOf(overview, 80, 24, 'faults');
  assert.match(faults, /a secret can be read by everyone\n *→ chmod 600 it\n *\S+ is readable/);
});

test('states are shown in words', () => {
  const line = (overview: Partial<Overview>, name: string): string =>
    bodyOf(overview, 120)
      .split('\n')
      .find((row) => row.includes(` ${name} `)) ?? '';
  const agent = (status: Parameters<typeof anAgent>[1]): string =>
    line({ agents: [anAgent('ada', status)] }, 'ada');
  assert.match(agent({ index: { state: 'missing' } }), /! +ada +no index yet +openai/);
  const older = { state: 'unusable', why: 'it was written by an older svc' } as const;
  assert.match(agent({ index: older }), /! +ada +needs rebuild/);
  const outdated = { ...INDEXED, rebuildBecause: 'other settings' };
  assert.match(agent({ index: outdated }), /! +ada +needs rebuild/);
  assert.match(agent({ staleness: undefined }), /! +ada +cannot be read/);
  const watcher = {
    pid: 1,
    since: '2026-02-03T04:05:06.000Z',
    mode: 'watching',
    why: null,
  } as const;
  assert.match(agent({ watcher }), /✓ +ada +up to date .+ watched/);
  assert.match(agent({ backend: 'ext' }), /openai · text-embedding-3-small · ext/);
  const half = { ...EMBEDDED, embedded: 5, pending: 5 };
  assert.match(agent({ vectorStore: half }), /openai 50 %/);
  const listener = (fields: object): string =>
    line({ listener: { ...busyOverview().listener, ...fields } }, 'listener');
  assert.match(listener({ process: undefined }), /! +listener +not running · 2 routes/);
  assert.match(listener({ process: undefined, routes: 0 }), /○ +listener +not running/);
  const failure = { code: null, message: 'port in use', hint: null };
  const process = {
    url: null,
    services: 2,
    failures: [{ name: 'health', failure }],
  };
  assert.match(listener({ process }), /✗ +listener +health: port in use · running/);
  const unknown = { code: null, message: 'its state is unknown', hint: 'restart it' };
  const unreadable = { ...busyOverview().listener, process: undefined, fault: unknown };
  assert.match(listener(unreadable), /✗ +listener +its state is unknown/);
  const body = bodyOf({ listener: unreadable, findings: [] }, 120, 24, 'listener');
  assert.match(body, /→ restart it/);
  assert.match(line({ listener: unreadable, findings: [] }, 'faults'), /its state is unknown/);
  const fault = {
    about: 'configuration',
    code: 'CONFIG_INVALID',
    message: 'this word is not JSON',
  };
  assert.match(
    line({ config: { state: 'faulty', fault }, agents: [], dreams: [], findings: [] }, 'faults'),
    /✗ +faults +1 fault · configuration: this word is not JSON/,
  );
  const damaged = { code: 'FLOWS_DAMAGED', message: 'damaged', hint: 'restore it' } as const;
  const counts = { flows: {}, tasks: {}, paused: [], unclaimed: [], failedNotifications: 0 };
  const unread = { flows: { ...counts, fault: damaged } };
  assert.match(line(unread, 'flows'), /✗ +flows +damaged/);
  assert.match(bodyOf({ ...unread, findings: [] }, 120, 24, 'faults'), /→ restore it/);
  const named = { ...plain, hintFor: (hint: string) => `${hint} --config x` };
  const hinted = homeRows(stateOf({ ...unread, findings: [] }, 'faults'), named, {
    columns: 116,
    rows: 19,
  });
  assert.ok(hinted.some(({ text }) => text.includes('→ restore it --config x')));
  const pause = { runtime: 'acp', reason: null, pausedAt: 0 } as const;
  const flows = {
    flows: { running: 1 },
    tasks: { queued: 2 },
    paused: [pause],
    unclaimed: [],
    failedNotifications: 3,
    fault: undefined,
  };
  assert.match(line({ flows }, 'tasks'), /! +tasks +acp paused · 2 queued/);
  const unclaimed = { runtime: 'acp', count: 2, sinceMs: 0 } as const;
  const waiting = { flows: { ...flows, paused: [], unclaimed: [unclaimed] } };
  assert.match(line(waiting, 'tasks'), /! +tasks +no worker takes acp tasks · 2 queued/);
  assert.match(line({ flows }, 'flows'), /! +flows +3 notifications failed · 1 running/);
});

test('a body is never wider or taller than its area, whatever the names and however many', () => {
  const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(
      fc.integer({ min: 12, max: 220 }),
      fc.integer({ min: 1, max: 60 }),
      fc.array(name, { maxLength: 60 }),
      name,
      fc.boolean(),
      fc.nat(70),
      (columns, rows, names, message, hasActivity, down) => {
        const agents = names.map((one) => anAgent(one, { workspaceDir: `/${message}` }));
        const findings = [{ severity: 'fault' as const, message, hint: message }];
        const counts = Array.from({ length: 288 }, (_, at) => at % 7);
        const activity = { searches: counts, chunks: counts, requests: counts };
        const log = [{ level: 'warn' as const, atMs: NOW, message }];
        const logged = { agent: message, atMs: NOW };
        const queries = [
          { query: message, logged },
          { query: message, logged: undefined },
        ];
        const overview = { ...busyOverview(), agents, findings, log, queries };
        const ids = [...names.map((one) => `agent ${one}`), 'listener', 'faults'];
        const state = stateOf(
          hasActivity ? { ...overview, activity } : overview,
          ids[down % ids.length],
        );
        const view = { ...plain, style: createStyle(true) };
        const lines = homeRows(state, view, { columns, rows }).map(({ text }) => text);
        assert.ok(lines.length <= rows, `${lines.length} of ${rows}`);
        for (const line of lines) {
          assert.ok(textWidth(line) <= Math.max(columns, 8), `${textWidth(line)}: ${line}`);
        }
        // However many there are, the selected one and the faults are visible.
        if (rows > 3 && columns > 30) assert.ok(lines.some((line) => line.includes('❯')));
        if (columns > 30) assert.ok(lines.some((line) => line.includes('faults')));
      },
    ),
    // No agent, and just room for plots.
    { examples: [[48, 7, [], ' ', true, 0]] },
  );
});

test('30 agents scroll with counts, while everything else stays visible', () => {
  const agents = Array.from({ length: 30 }, (_, at) => anAgent(`agent-${at}`));
  const dream = busyOverview().dreams[0];
  const dreams = Array.from({ length: 30 }, () => dream).filter((one) => one !== undefined);
  const overview = { ...busyOverview(), agents, dreams };
  const middle = bodyOf(overview, 80, 24, 'agent agent-20');
  assert.match(middle, /❯ ✓ +agent-20/);
  assert.match(middle, /↑ \d+ more +↓ \d+ more/);
  for (const screen of [middle, bodyOf(overview, 80, 24, 'flows')]) {
    for (const line of ['listener', 'tasks', 'faults']) assert.match(screen, ` ${line} `);
    assert.match(screen, /dreams +30 of 30 workspaces/);
  }
  const large = bodyOf(overview, 200, 60);
  assert.match(large, 'agent-29');
  assert.not.match(large, 'more');
});

test('activity of a day is drawn, and recent searches and the log where there is room', () => {
  const none = Array.from({ length: 288 }, () => 0);
  const activity = { searches: [...none.slice(1), 1203], chunks: none, requests: none };
  const log = [{ level: 'warn' as const, atMs: NOW - 60_000, message: 'mcp: refused' }];
  const queries = [{ query: 'which car', logged: { agent: 'main', atMs: NOW - 60_000 } }];
  const overview = { ...busyOverview(), activity, log, queries };
  assert.match(bodyOf(overview), /searches, 24 h +1,203/);
  for (const [columns, rows] of [
    [120, 40],
    [200, 60],
  ] as const) {
    const screen = bodyOf(overview, columns, rows);
    assert.match(screen, /indexed chunks, 24 h +0/);
    assert.match(screen, /[\u2801-\u28FF]/u);
    assert.match(screen, /1 min ago +main: which car/);
    assert.match(screen, /1 min ago +warn +mcp: refused/);
  }
  const busy = { ...activity, chunks: [...none.slice(1), 44_640] };
  assert.match(bodyOf({ ...overview, activity: busy }, 80, 24), /indexed chunks +44,640/);
  assert.match(bodyOf({ ...overview, activity: busy }, 60, 24), / chunks +44,640/);
  assert.not.match(bodyOf({ ...overview, activity: null }), '24 h');
});

test('unknown values have their rows from the start', () => {
  const before = homeRows(stateOf({ agents: [anAgent('main'), anAgent('work')] }), plain, {
    columns: 76,
    rows: 19,
  });
  const after = homeRows(stateOf(busyOverview()), plain, { columns: 76, rows: 19 });
  const rowOf = (rows: typeof after, line: string): number =>
    rows.findIndex((row) => row.lineId === line);
  for (const line of ['agent work', 'listener', 'flows', 'tasks', 'dreams 0']) {
    assert.is(rowOf(before, line), rowOf(after, line), line);
  }
});

test('/ filters lines, and Esc removes the filter before it quits', async () => {
  const terminal = createTerminal(80, 24);
  const { end, update } = start(terminal);
  await waitForText(terminal, 'checking …');
  update(busyOverview());
  await waitForText(terminal, '1 fault');
  terminal.type('/task');
  await waitForText(terminal, 'no agent matches the filter');
  terminal.type(KEYS.escape);
  await waitForText(terminal, ' listener ');
  terminal.type('/wor');
  await waitForText(terminal, '/ wor');
  await waitForText(terminal, '❯ !  work');
  assert.not.match(terminal.screen().join('\n'), ' listener ');
  assert.match(terminal.screen().join('\n'), ' faults ');
  terminal.type(KEYS.enter);
  await waitForText(terminal, '"wor"');
  terminal.type(KEYS.escape);
  await waitForText(terminal, ' listener ');
  terminal.type('q');
  assert.equal(await end, { type: 'left' });
});

test('a click selects a line, a second one opens it, and the wheel moves', async () => {
  const terminal = createTerminal(80, 24);
  const { end, update, targets } = start(terminal);
  await waitForText(terminal, 'checking …');
  update(busyOverview());
  await waitForText(terminal, '1 fault');
  const row = terminal.screen().findIndex((line) => line.includes(' tasks ')) + 1;
  const click = `\u001B[<0;20;${row}M\u001B[<0;20;${row}m`;
  terminal.type(click);
  await waitForText(terminal, '❯ ●  tasks');
  terminal.type(`\u001B[<64;20;${row}M`);
  await waitForText(terminal, '❯ ●  flows');
  terminal.type(`\u001B[<65;20;${row}M${click}`);
  assert.is((await end).type, 'open');
  assert.equal(targets, [{ kind: 'tasks' }]);
});

test(': lists commands, asks for arguments, and runs one for the selected agent', async () => {
  const cases = [
    ['status', ['memory', 'status', '--agent=work']],
    ['conf\r\r -x ', ['config', 'get', '--', '-x']],
  ] as const;
  for (const [typed, argv] of cases) {
    const terminal = createTerminal(80, 24);
    const { end, update, targets } = start(terminal);
    await waitForText(terminal, 'checking …');
    update(busyOverview());
    await waitForText(terminal, '1 fault');
    terminal.type('j:');
    await waitForText(terminal, 'Show what is indexed.');
    terminal.type(typed);
    await waitForText(terminal, typed === 'status' ? '1 of 2' : 'path:  -x');
    terminal.type(KEYS.enter);
    assert.is((await end).type, 'open');
    assert.equal(targets, [{ kind: 'command', argv }]);
  }
});

test.run();
