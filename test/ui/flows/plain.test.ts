import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SvcError } from '../../../src/engine/errors/index.js';
import { newTaskId } from '../../../src/engine/flow-model/ids.js';
import {
  renderClaim,
  renderFlow,
  renderHistory,
  renderTask,
} from '../../../src/ui/flows/details.js';
import {
  FLOW_WORDS,
  renderBulkChange,
  renderFindings,
  renderFlowList,
  renderTaskList,
} from '../../../src/ui/flows/list.js';
import { flowRow, taskRow, watchLine } from '../../../src/ui/flows/rows.js';
import { createStyle } from '../../../src/ui/style.js';
import { PIPED_VIEW } from '../../support/piped-view.js';
import { aFlow, anEntry, aTask, NOW } from './builders.js';

const test = suite('flows and tasks as text');

const STYLE = createStyle(false);
const PIPED = { ...PIPED_VIEW, nowMs: NOW };

test('a list has a line for each flow, and says when there are more', () => {
  const entry = aFlow({ blockedSummary: 'no key', status: 'blocked' });
  const text = renderFlowList({ entries: [entry], total: 3 }, PIPED);
  assert.is(
    text,
    `flow      status   rev  tasks  updated    session          goal
${entry.flow.flowId.slice(0, 8)}  blocked    3  1/2    3 min ago  agent:main:main  Publish the digest · no key
1 of 3 flows; use --limit to show more
`,
  );
  assert.is(renderFlowList({ entries: [], total: 0 }, PIPED), 'no flows\n');
  assert.is(renderTaskList({ entries: [], total: 0 }, PIPED), 'no tasks\n');
});

test('a line keeps to the terminal, and to one line', () => {
  const long = aTask({ task: 'x'.repeat(500), error: 'a\nb' });
  const text = renderTaskList({ entries: [long], total: 1 }, { ...PIPED, columns: 80 });
  for (const line of text.split('\n')) assert.ok(line.length <= 80, line);
  const evil = aFlow({ goal: 'red \u001B[31m', ownerKey: 'a\u001B[2J' });
  assert.not.match(renderFlowList({ entries: [evil], total: 1 }, PIPED), '\u001B');
  assert.not.match(
    renderFlow(
      {
        ...evil,
        tasks: [aTask({ label: '\u001B]0;x' })],
        history: [anEntry({ note: '\u001B]0;x' })],
      },
      PIPED,
    ),
    '\u001B',
  );
});

test('a flow with a cancel request shows it until it has ended', () => {
  const cancelling = { cancelRequestedAt: NOW };
  assert.is(flowRow(aFlow(cancelling), NOW).cells[1], 'running, cancelling');
  assert.is(taskRow(aTask(cancelling), NOW).cells[3], 'running, cancelling');
  const ended = aTask({ ...cancelling, status: 'cancelled', endedAt: NOW });
  assert.is(taskRow(ended, NOW).cells[3], 'cancelled');
});

test('details show present fields and omit absent ones', () => {
  const { flow } = aFlow();
  const text = renderTask({ task: aTask({ progressSummary: '3 of 7' }), flow, history: [] }, PIPED);
  assert.match(text, /worker\s+build-3/);
  assert.match(text, /progress\s+3 of 7/);
  assert.not.match(text, 'error');
});

test('details show the newest changes, and how many there are', () => {
  const { flow, summary } = aFlow();
  const history = Array.from({ length: 1000 }, () => anEntry());
  const text = renderFlow({ flow, summary, tasks: [], history }, PIPED);
  assert.match(text, /history \w{8}" shows all 1,000 changes\n$/);
});

test('details show texts of several lines and JSON as the screens do', () => {
  const task = aTask({ terminalSummary: 'Done:\n- one\n\u001B[2J', resultJson: '{"pages":[1]}' });
  const text = renderTask({ task, flow: undefined, history: [] }, PIPED);
  assert.match(text, /^ {2}summary( +)Done:\n {9}\1- one\n {9}\1\\e\[2J$/mu);
  assert.match(text, /^ {2}result( +)\{\n {8}\1 {2}"pages": \[$/mu);
});

test('a claimed task cannot control a terminal, and a pipe gets it as it is', () => {
  const task = aTask({ task: 'read it\n\u001B]0;PWNED\u0007\u001B[2J' });
  const shown = renderClaim(task, 'lt_1', { escape: true });
  assert.ok(shown.endsWith('lease token lt_1\n\nread it\n\\e]0;PWNED\\x07\\e[2J'), shown);
  assert.ok(renderClaim(task, 'lt_1', { escape: false }).endsWith(`\n\n${task.task}`));
});

test('an audit is a table, or says that nothing was found', () => {
  const { flow } = aFlow();
  const finding = {
    severity: 'error',
    code: 'stale_running',
    detail: 'running, but nothing has happened',
    ageMs: 1_900_000,
    status: 'running',
    flowId: flow.flowId,
  } as const;
  assert.match(renderFindings([finding], PIPED), /error\s+stale_running\s+\S{8}\s+31 min 40 s/);
  assert.match(renderFindings([], PIPED), 'nothing is stuck');
});

test('a change is a line with its time', () => {
  const line = watchLine('tasks', taskRow(aTask(), NOW), NOW, STYLE);
  assert.match(line, /^\d\d:\d\d:\d\d {2}\S{8} {2}\S{8} {2}acp {2}running {2}1 {2}Read the pages$/);
});

test('several changes are listed with those that failed, and counted', () => {
  const { flow } = aFlow({ goal: 'Publish\nthe digest' });
  const ended = { record: flow, error: new SvcError('FLOW_ENDED', 'it is over') };
  const words = { ...FLOW_WORDS, question: 'Cancel', pastTense: 'cancelled' };
  const changed = [{ record: flow, error: undefined }, ended];
  const done = renderBulkChange({ changed, total: 5, state: 'done', words }, PIPED);
  assert.match(done, 'not cancelled: it is over');
  assert.match(done, /running {2}Publish$/m);
  assert.match(done, 'cancelled 1 flow, 1 failed; 3 more match, run it again\n');
  const would = { changed: changed.slice(0, 1), total: 1, words } as const;
  assert.match(
    renderBulkChange({ ...would, state: 'dry run' }, PIPED),
    '1 flow would be cancelled',
  );
  assert.match(renderBulkChange({ ...would, state: 'declined' }, PIPED), 'nothing was changed');
  const none = renderBulkChange({ changed: [], total: 0, state: 'done', words }, PIPED);
  assert.is(none, 'no flows match\n');
});

test('a history shows when, by whom and what changed, and what is missing', () => {
  const { flow } = aFlow();
  const worker = { actorKind: 'worker', actorName: 'build-3', taskId: newTaskId(NOW) } as const;
  const entries = [
    anEntry({ event: 'flow.created', fromStatus: null, toStatus: 'queued', note: 'one' }),
    anEntry({ ...worker, event: 'task.started', fromStatus: 'queued', toStatus: 'running' }),
    anEntry({ ...worker, event: 'task.progress', note: '3 of 7\nmore', revision: 2 }),
    anEntry({ actorKind: 'system', actorName: null, event: 'notification.delivered' }),
  ];
  const whole = { flow, entries, startsAt: NOW, gapAfter: undefined };
  const lines = renderHistory(whole, PIPED).trimEnd().split('\n');
  const id = worker.taskId.slice(0, 8);
  assert.equal(
    lines.slice(2).map((line) => line.replaceAll(/ +/g, ' ')),
    [
      '2027-01-15T08:00:00Z route ci 0 created, queued: one',
      `2027-01-15T08:00:00Z worker build-3 ${id} 0 queued → running`,
      `2027-01-15T08:00:00Z worker build-3 ${id} 2 progress: 3 of 7\\nmore`,
      '2027-01-15T08:00:00Z system 0 notification delivered',
    ],
  );
  const old = [anEntry({ actorKind: 'unknown', actorName: null }), ...entries];
  const text = renderHistory({ ...whole, entries: old, gapAfter: 50 }, PIPED);
  assert.match(text, 'history starts at 2027-01-15T08:00:00Z');
  assert.match(text, 'only the first 50');
  const later = renderHistory({ ...whole, entries: old, startsAt: undefined }, PIPED);
  assert.match(later, 'history starts with the next change');
});

test.run();
