import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ConfigInput } from '../../../src/engine/config/index.js';
import { decidePermission, startAcp } from '../../../src/engine/task-runner/start-acp.js';
import { isRunning } from '../../support/processes.js';
import { closeWorlds, type RunnerWorld, runnerWorld } from '../../support/runner.js';
import { tempFolder } from '../../support/temp-folder.js';
import { waitFor } from '../../support/wait.js';

const test = suite('tasks of runtime acp');

const AGENT = await bundledAgent();

/** In one file, since it is started again and again. */
async function bundledAgent(): Promise<string> {
  const outfile = tempFolder().at('fake-agent.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('fake-agent.ts', import.meta.url))],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
  });
  return outfile;
}

type Runtime = NonNullable<NonNullable<NonNullable<ConfigInput['flows']>['runtimes']>['acp']>;

function agentWorld(more: Partial<Runtime> = {}, mode = 'plain'): Promise<RunnerWorld> {
  const command = [process.execPath, AGENT, mode];
  const acp = { command, maxAttempts: 1, ...more };
  return runnerWorld({ runtimes: { acp } });
}

/** Runs one task to its end. */
async function ended(world: RunnerWorld, task: string) {
  await world.startRunner();
  const end = await world.whenEnded(await world.addTask({ runtime: 'acp', task }));
  await world.close();
  return end;
}

test('an agent is prompted with the task, and its last message is the result', async () => {
  const world = await agentWorld({}, 'greeting');
  await world.startRunner();
  const id = await world.addTask({ runtime: 'acp', task: 'answer this' });
  await world.whenTask(id, ({ progressSummary }) => progressSummary === 'Count pages');
  const task = await world.whenEnded(id);
  assert.equal([task.status, task.terminalSummary], ['succeeded', 'there are three']);
  assert.equal(JSON.parse(task.resultJson ?? ''), { text: 'there are three' });
  const log = world.logText();
  assert.match(log, 'answer this');
  assert.match(log, 'a goal');
  assert.match(log, `new ${world.home.at('workspace')} 0`);
  assert.match(log, 'skipped a line that is not a message: Welcome!');
  await world.close();
});

test('messages that the library cannot use are logged and not printed', async () => {
  const world = await agentWorld();
  const task = await ended(world, 'future');
  assert.equal([task.status, task.terminalSummary], ['succeeded', 'done']);
  const log = world.logText();
  assert.match(log, 'Error handling notification');
  assert.match(log, 'Got response to unknown request');
  assert.not.match(log, '\\u001b');
});

test('a program that is not an agent fails with the reason that it prints', async () => {
  const world = await agentWorld({ command: ['sh', '-c', 'echo "unknown option --acp"; exit 2'] });
  const task = await ended(world, 'any');
  assert.is(task.error, 'exited with code 2: unknown option --acp');
});

// To mask megabytes would hold up the process.
test('of a long line that is not a message, little is passed on to be masked', async () => {
  const print = 'for (let n = 0; n < 8; n++) console.log("a".repeat(8_000_000))';
  const world = await agentWorld();
  const task = await world.taskOf(await world.addTask({ runtime: 'acp' }));
  const notes: string[] = [];
  const nothing = () => undefined;
  const job = startAcp(
    {
      task,
      flow: undefined,
      command: [process.execPath, '-e', print],
      env: {},
      attemptId: 'attempt',
      cwd: world.home.path,
      maxAttempts: 1,
      permissions: 'deny',
    },
    {
      progress: nothing,
      logDecision: nothing,
      announce: () => ({ started: nothing, ended: nothing }),
      note: (text) => notes.push(text),
    },
  );
  const end = await job.ended;
  await world.close();
  assert.is(notes.length, 8);
  const error = end.kind === 'failed' ? end.error : '';
  assert.match(error, /^exited with code 0: a+$/);
  for (const text of [...notes, error]) assert.ok(text.length < 9000);
});

test('requests for permission are answered by the configured policy', async () => {
  const answers = { deny: 'search=no', read: 'search=once', allow: 'search=once' } as const;
  for (const [permissions, answer] of Object.entries(answers)) {
    const policy = permissions as keyof typeof answers;
    const world = await agentWorld({ permissions: policy });
    const task = await ended(world, 'permissions please');
    assert.is(task.terminalSummary, answer, policy);
    assert.match(
      world.logText(),
      `asked for execute: ${policy === 'allow' ? 'granted' : 'refused'}`,
    );
  }
  const options = [
    { optionId: 'y', name: 'Yes', kind: 'allow_once' },
    { optionId: 'n', name: 'No', kind: 'reject_always' },
  ] as const;
  const chosen = (
    policy: 'allow' | 'deny' | 'read',
    kind: 'edit' | 'fetch' | 'read' | undefined,
  ) => {
    const outcome = decidePermission(policy, kind, options);
    return outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome;
  };
  assert.equal(
    [
      chosen('read', 'read'),
      chosen('read', 'edit'),
      chosen('read', 'fetch'),
      chosen('read', undefined),
    ],
    ['y', 'n', 'n', 'n'],
  );
  assert.equal([chosen('deny', 'read'), chosen('allow', undefined)], ['n', 'y']);
  assert.equal(decidePermission('deny', 'read', []), { outcome: 'cancelled' });
});

test('no files and no terminals are offered, and none are served', async () => {
  const world = await agentWorld({ permissions: 'allow' });
  const task = await ended(world, 'file');
  assert.is(task.terminalSummary, 'refused -32601');
  assert.match(world.logText(), /readTextFile\\*":false.*terminal\\*":false/);
});

test('cancelling is requested first', async () => {
  const world = await agentWorld();
  await world.startRunner();
  const id = await world.addTask({ runtime: 'acp', task: 'wait' });
  await waitFor('the agent', () => world.logText().includes('stderr: waiting'));
  await world.flows.tasks.cancel(id);
  assert.is((await world.whenEnded(id)).status, 'cancelled');
  assert.match(world.logText(), 'stderr: cancel');
  await world.close();
});

test('an agent that ignores the request is killed with its children', async () => {
  const world = await agentWorld({ timeoutSeconds: 3 });
  await world.startRunner();
  const id = await world.addTask({ runtime: 'acp', task: 'ignore me' });
  const pids = await waitFor('the agent', () => {
    const found = /stderr: pids (\d+) (\d+)/.exec(world.logText());
    return found === null ? undefined : found.slice(1).map(Number);
  });
  const task = await world.whenEnded(id);
  assert.is(task.status, 'timed_out');
  assert.not.ok(pids.some(isRunning));
  await world.close();
});

/** How a session fails, and what is reported. */
const FAILURES: readonly (readonly [mode: string, task: string, error: RegExp])[] = [
  ['plain', 'die', /^exited with code 7: out of tokens$/],
  ['plain', 'refuse', /^the agent refused the task$/],
  ['plain', 'limit', /max_tokens/],
  ['plain', 'pause', /^the agent stopped for an unknown reason \("paused"\)$/],
  ['plain', 'fail', /^the agent answered: .*model is away/],
  ['sign-in', 'any', /not signed in/],
  ['old', 'any', /uses protocol version 0/],
];

for (const [mode, what, error] of FAILURES) {
  test(`it fails: ${mode}, ${what}`, async () => {
    const task = await ended(await agentWorld({}, mode), what);
    assert.is(task.status, 'failed');
    assert.match(task.error ?? '', error);
  });
}

test('an agent is told to use the key that is set for it', async () => {
  const ways = [
    ['GEMINI_API_KEY', 'gemini'],
    ['OPENAI_API_KEY', 'api-key'],
    ['CODEX_API_KEY', 'codex'],
  ] as const;
  for (const [variable, way] of ways) {
    const world = await agentWorld({ env: { [variable]: 'a-key-of-the-agent' } }, 'sign-in');
    const task = await ended(world, 'answer this');
    assert.is(task.status, 'succeeded', variable);
    assert.match(world.logText(), `authenticate ${way}`);
  }
});

test('a program that is not an agent fails', async () => {
  const command = [process.execPath, '-e', 'console.log("hello")'];
  const task = await ended(await agentWorld({ command }), 'any');
  assert.match(task.error ?? '', /^exited with code 0/);
});

test('an answer counts even if the agent does not exit and is killed', async () => {
  for (const stop of ['cancel', 'close'] as const) {
    const world = await agentWorld();
    const runner = await world.startRunner();
    const id = await world.addTask({ runtime: 'acp', task: 'linger' });
    await waitFor('the answer', () => world.logText().includes('left alone'));
    await (stop === 'close' ? runner.close() : world.flows.tasks.cancel(id));
    const task = await world.whenEnded(id);
    assert.equal([task.status, task.terminalSummary, task.attempts], ['succeeded', 'all done', 1]);
    await world.close();
  }
});

test.after(closeWorlds);
test.run();
