import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { WatchEvent } from '../../../src/engine/memory/watch/watch-events.js';
import { ScreenContext } from '../../../src/ui/components/rows.js';
import { createState } from '../../../src/ui/components/store.js';
import { WorkScreen } from '../../../src/ui/components/work-screen.js';
import { textWidth } from '../../../src/ui/fit.js';
import {
  initialWatchScreen,
  reduceWatchScreen,
  type WatchScreenState,
  watchRows,
} from '../../../src/ui/screens/watch/run.js';
import { createStyle } from '../../../src/ui/style.js';
import { render } from '../../support/render-view.js';
import { createTerminal, KEYS } from '../../support/terminal.js';
import { waitFor } from '../../support/wait.js';
import { aSummary } from '../memory/sync-builders.js';

const test = suite('the watch screen');

const START = 1_700_000_000_000;
const STYLE = createStyle(false);

/** The state after these events of the first of some memories, a second apart. */
function after(
  events: readonly WatchEvent[],
  names: readonly string[] = ['main'],
): WatchScreenState {
  const rows = names.map((name) => ({ name, folder: `~/${name}` }));
  let state = initialWatchScreen(rows, START);
  for (const [at, event] of events.entries()) {
    state = reduceWatchScreen(state, 0, event, START + at * 1000);
  }
  return state;
}

function shown(state: WatchScreenState, columns = 80, rows = 24): string {
  return watchRows(state, STYLE, { columns, rows }).join('\n');
}

const SYNCED: WatchEvent = {
  type: 'synced',
  cause: 'changed',
  summary: aSummary({ added: 2, changed: 0, unchanged: 7 }),
};
const UNCHANGED: WatchEvent = {
  type: 'synced',
  cause: 'interval',
  summary: aSummary({ outcome: 'unchanged', added: 0, changed: 0 }),
};
const FAILED: WatchEvent = {
  type: 'failed',
  failure: { code: 'INDEX_DISK_FULL', message: 'the disk is full', hint: 'free some space' },
  attempt: 1,
  retryInMs: 4000,
};
const POLLING: WatchEvent = { type: 'polling', why: 'no watches left', everyMs: 5000 };

test('shows what is watched, what changed last and when', () => {
  const watching: WatchEvent = { type: 'watching', folders: 12 };
  const state = after([watching, { type: 'syncing', cause: 'start' }, SYNCED]);
  assert.match(shown(state), /✓ main {2}~\/main +watching 12 folders/);
  assert.match(shown(state), /2 added · 7 unchanged +just now/);
  const later = { ...state, nowMs: START + 200_000 };
  assert.match(shown(later), '3 min ago');
  // A sync that found nothing new does not hide it.
  assert.match(shown(after([watching, SYNCED, UNCHANGED])), '2 added');
});

test('changes, a running sync, polling and failures are shown', () => {
  assert.match(shown(after([{ type: 'changed', path: '/x' }])), / changed$/m);
  assert.match(shown(after([{ type: 'syncing', cause: 'changed' }])), /● main .* syncing$/m);
  const polling = shown(after([POLLING, SYNCED]));
  assert.match(polling, /! main .* polling$/m);
  assert.match(polling, 'file watching is unavailable; polling every 5.0 s; no watches left');
  const failing = after([FAILED]);
  assert.match(shown(failing), /✗ main .* failing$/m);
  assert.match(shown(failing), 'the disk is full; retrying in 4.0 s');
  assert.match(shown(failing), '→ free some space');
  assert.not.match(shown(after([FAILED, SYNCED])), 'disk');
});

test('always fits the terminal, most urgent first', () => {
  const names = Array.from({ length: 30 }, (_, n) => `agent-with-a-long-name-${n}-年年年`);
  let state = after([FAILED, POLLING, SYNCED, FAILED], names);
  for (let row = 1; row < 30; row++) {
    state = reduceWatchScreen(state, row, SYNCED, START);
  }
  state = reduceWatchScreen(state, 29, FAILED, START);
  for (const columns of [20, 60, 80, 200]) {
    for (const rows of [3, 6, 24, 80]) {
      const lines = watchRows(state, STYLE, { columns, rows });
      assert.ok(lines.length <= rows, `${lines.length} of ${rows}`);
      for (const line of lines) assert.ok(textWidth(line) <= columns, `${columns}: ${line}`);
    }
  }
  const short = shown(state, 80, 7).split('\n');
  assert.match(short[0] ?? '', /✗ agent-with/);
  assert.match(short[1] ?? '', /✗ agent-with/);
  assert.match(short.at(-1) ?? '', /and 24 more/);
});

test('Ctrl-C and q request a stop; ? lists the keys', async () => {
  const store = createState(after([SYNCED]));
  let stops = 0;
  const view = render(
    <ScreenContext value={{ stdout: createTerminal(80, 24).stdout, style: STYLE }}>
      <WorkScreen
        store={store}
        title="svc · watch"
        facts={() => []}
        lines={(area) => watchRows(store.getSnapshot(), STYLE, area)}
        onStop={() => {
          stops += 1;
        }}
      />
    </ScreenContext>,
  );
  const frame = (): string => view.lastFrame() ?? '';
  await waitFor('the first frame', () => frame().includes('main'), frame);
  view.stdin.write('?');
  await waitFor('the keys', () => frame().includes('quit now'), frame);
  view.stdin.write(KEYS.escape);
  await waitFor('no keys', () => !frame().includes('quit now'), frame);
  view.stdin.write(KEYS.ctrlC);
  await waitFor('a stop', () => stops === 1);
  view.stdin.write('q');
  await waitFor('another', () => stops === 2);
  store.dispatch({ isStopping: true });
  await waitFor('the word on it', () => frame().includes('stopping'), frame);
  view.unmount();
});

test.run();
