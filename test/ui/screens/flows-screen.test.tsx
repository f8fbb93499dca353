import * as fc from 'fast-check';
import { render } from 'ink-testing-library';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { textWidth } from '../../../src/ui/fit.js';
import { flowRow, taskRow } from '../../../src/ui/flows/rows.js';
import { flowsFrame } from '../../../src/ui/screens/flows/frame.js';
import { FlowsScreen } from '../../../src/ui/screens/flows/run.js';
import {
  type FlowsScreenState,
  reduceFlowsScreen,
  startFlowsScreen,
} from '../../../src/ui/screens/flows/state.js';
import { createStore } from '../../../src/ui/screens/store.js';
import { createStyle } from '../../../src/ui/style.js';
import { createTerminal, KEYS, waitFor } from '../../support/terminal.js';
import { aFlow, aTask, NOW } from '../flows/builders.js';

const test = suite('the screen that follows flows');

const STYLE = createStyle(false);

function listed(kind: 'flows' | 'tasks', count: number, total = count): FlowsScreenState {
  const rows = Array.from({ length: count }, (_, at) =>
    kind === 'flows'
      ? flowRow(aFlow({ revision: at, goal: `goal ${at} ${'long '.repeat(30)}` }), NOW)
      : taskRow(aTask({ task: `task ${at} ${'long '.repeat(30)}` }), NOW),
  );
  return reduceFlowsScreen(startFlowsScreen(kind), { type: 'listed', list: { rows, total } });
}

test('shows the newest, how many there are, and the keys', () => {
  const lines = flowsFrame(listed('flows', 3, 7), STYLE, { columns: 100, rows: 24 });
  assert.match(lines[0] ?? '', /svc · flows\s+7 flows$/);
  assert.match(lines[2] ?? '', /flow\s+status\s+rev\s+tasks\s+updated\s+session\s+goal/);
  assert.match(lines[3] ?? '', /running\s+0\s+1\/2\s+3 min ago\s+agent:main:main\s+goal 0/);
  assert.ok(lines.includes('  … 4 more'));
  assert.is(lines.at(-1), '  ? help   q quit');
  assert.match(
    flowsFrame(listed('tasks', 0), STYLE, { columns: 80, rows: 24 }).join('\n'),
    'no tasks',
  );
});

test('leaves out what a narrow terminal has no room for, and keeps what it is about', () => {
  const lines = flowsFrame(listed('flows', 1), STYLE, { columns: 60, rows: 24 });
  assert.not.match(lines[3] ?? '', 'agent:main');
  assert.match(lines[3] ?? '', /running .*goal 0/);
});

test('fits every terminal', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('flows', 'tasks'),
      fc.nat(60),
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 1, max: 60 }),
      fc.boolean(),
      (kind, count, columns, rows, help) => {
        const state = { ...listed(kind, count, count + 5), help };
        const lines = flowsFrame(state, STYLE, { columns, rows });
        assert.ok(lines.length <= Math.max(1, rows - 1), `${lines.length} of ${rows}`);
        if (columns < 5) return;
        for (const line of lines) assert.ok(textWidth(line) <= columns, line);
      },
    ),
    { numRuns: 200 },
  );
});

test('keys ask to leave, and for the list of keys', async () => {
  const store = createStore(startFlowsScreen('tasks'), reduceFlowsScreen);
  const asked: string[] = [];
  const { stdin, lastFrame, unmount } = render(
    <FlowsScreen
      store={store}
      stdout={createTerminal(80, 24).stdout}
      style={STYLE}
      onStop={(key) => asked.push(key)}
    />,
  );
  await waitFor('the screen', () => lastFrame()?.includes('q quit') === true);
  stdin.write('?');
  await waitFor('the list of keys', () => lastFrame()?.includes('close help') === true);
  stdin.write(KEYS.escape);
  await waitFor('it is closed', () => lastFrame()?.includes('close help') === false);
  stdin.write('q');
  stdin.write(KEYS.ctrlC);
  await waitFor('both', () => asked.length === 2);
  unmount();
  assert.equal(asked, ['q', 'ctrl-c']);
});

test.run();
