import { existsSync, readFileSync, rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { messageOf } from '../../../src/engine/errors/index.js';
import { flowsFile } from '../../../src/engine/flows/index.js';
import { openDatabase } from '../../../src/engine/sqlite/database.js';
import { closing } from '../../../src/engine/support/async.js';
import { compileProgram } from '../../support/compile.js';
import { isRunning } from '../../support/processes.js';
import { type StartedSvc, startProgram } from '../../support/run-svc.js';
import { closeWorlds, type RunnerWorld, runnerWorld, subagent } from '../../support/runner.js';
import { waitFor } from '../../support/wait.js';

const test = suite('the runner of tasks');

const CHILD = await compileProgram(new URL('child.ts', import.meta.url));

/** A runner in a process of its own on the same state folder. */
async function otherRunner(
  { home }: RunnerWorld,
  settings: ReturnType<typeof subagent>,
): Promise<StartedSvc> {
  const args = [CHILD, home.path, JSON.stringify(settings)];
  const started = startProgram(process.execPath, args, { home: home.path, cwd: process.cwd() });
  await started.waitForText('ready');
  return started;
}

/** Writes its process id into a file, and waits for another to appear. */
const WAITS = `
  const fs = require('node:fs');
  const home = process.env.SVC_HOME;
  fs.appendFileSync(home + '/begun', process.pid + '\\n');
  setInterval(() => { if (fs.existsSync(home + '/go')) process.exit(0); }, 20);`;

const begun = ({ home }: RunnerWorld): readonly number[] => pidsIn(home.at('begun'));

/** The process ids in a file, of whole lines: it exists before its first line does. */
function pidsIn(file: string): readonly number[] {
  if (!existsSync(file)) return [];
  return (readFileSync(file, 'utf8').match(/^\d+(?=\n)/gm) ?? []).map(Number);
}

test('tasks run oldest first, up to the allowed number at once', async () => {
  const world = await runnerWorld({ concurrency: 2, ...subagent(WAITS) });
  await world.startRunner();
  const ids = [await world.addTask(), await world.addTask(), await world.addTask()];
  await waitFor('two', () => begun(world).length === 2);
  const statuses = async () =>
    (await Promise.all(ids.map((id) => world.taskOf(id)))).map(({ status }) => status);
  assert.equal(await statuses(), ['running', 'running', 'queued']);
  world.home.write('go', '');
  for (const id of ids) assert.is((await world.whenEnded(id)).status, 'succeeded');
  await world.close();
});

test('two runners in two processes never run one task twice', async () => {
  const settings = {
    concurrency: 4,
    ...subagent(`require('node:fs').appendFileSync(process.env.SVC_HOME + '/ran',
      process.env.SVC_TASK_ID + '\\n')`),
  };
  const world = await runnerWorld(settings);
  const ids = await Promise.all(Array.from({ length: 20 }, () => world.addTask()));
  const other = await otherRunner(world, settings);
  await world.startRunner();
  for (const id of ids) assert.is((await world.whenEnded(id)).status, 'succeeded');
  const ran = readFileSync(world.home.at('ran'), 'utf8').trim().split('\n');
  assert.equal(ran.toSorted(), ids.toSorted());
  other.child.kill('SIGTERM');
  assert.is((await other.done).code, 0);
  await world.close();
});

test('a runner that is killed leaves no program behind, and its task runs again elsewhere', async () => {
  const settings = { leaseSeconds: 1, ...subagent(WAITS) };
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  const world = await runnerWorld(settings, { clock });
  const id = await world.addTask();
  const other = await otherRunner(world, settings);
  const [first = 0] = await waitFor('a program', () =>
    begun(world).length === 1 ? begun(world) : undefined,
  );
  other.child.kill('SIGKILL');
  await other.done;
  await waitFor('the end of the program', () => !isRunning(first));
  await world.startRunner();
  // Its lease is over in a second; then it rests.
  const queued = await world.whenTask(id, ({ status }) => status === 'queued');
  assert.is(queued.error, 'The worker stopped reporting.');
  clock.ahead = 10_000;
  await waitFor('another program', () => begun(world).length === 2);
  world.home.write('go', '');
  const task = await world.whenEnded(id);
  assert.equal([task.status, task.attempts], ['succeeded', 2]);
  await world.close();
});

test('a runner that cannot claim tasks says why once, and claims them once it can', async () => {
  const world = await runnerWorld(subagent(''));
  const change = (statement: string): void => {
    using database = closing(
      openDatabase(flowsFile(world.context), { readonly: false, busyTimeoutMs: 60_000 }),
    );
    database.exec(statement);
  };
  const problems: string[] = [];
  await world.startRunner((error) => problems.push(error === undefined ? '' : messageOf(error)));
  await world.whenEnded(await world.addTask());
  assert.equal(problems, []);
  change('ALTER TABLE tasks RENAME TO away');
  await waitFor('a second failure', () => problems.length > 1);
  change('ALTER TABLE away RENAME TO tasks');
  await waitFor('its end', () => problems.at(-1) === '');
  assert.match(problems[0] ?? '', 'no such table');
  assert.is(world.logText().split('could not claim tasks').length, 2);
  await world.whenEnded(await world.addTask());
  await world.close();
});

test("a task for an undeclared agent does not run in another agent's folder", async () => {
  const script = "require('node:fs').writeFileSync(process.env.SVC_HOME + '/ran', '')";
  const world = await runnerWorld(subagent(script, { maxAttempts: 1 }));
  await world.startRunner();
  const task = await world.whenEnded(await world.addTask({ agentId: 'nobody' }));
  assert.is(task.status, 'failed');
  assert.match(task.error ?? '', /unknown agent "nobody"/);
  assert.not.ok(existsSync(world.home.at('ran')));
  await world.close();
});

test('a runner without the folder of its tasks says so when it starts', async () => {
  const world = await runnerWorld(subagent(''));
  rmSync(world.home.at('workspace'), { recursive: true });
  await world.startRunner();
  assert.match(world.logText(), /subagent tasks will fail: .*workspace does not exist/);
  assert.match(world.logText(), /set flows\.runtimes\.subagent\.cwd/);
  await world.close();
});

const setsid = process.platform === 'linux' ? test : test.skip;

setsid(
  'what a task put into a session of its own ends when it is cancelled, and when svc is killed',
  async () => {
    const settings = subagent(`
    const { spawn } = require('node:child_process');
    const { pid } = spawn('setsid', ['sleep', '300'], { stdio: 'ignore' });
    require('node:fs').appendFileSync(process.env.SVC_HOME + '/detached', pid + '\\n');
    setInterval(() => {}, 1000);`);
    const world = await runnerWorld(settings);
    const detached = (nth: number): Promise<number> =>
      waitFor('a detached program', () => {
        const pids = pidsIn(world.home.at('detached'));
        return pids.length === nth ? pids.at(-1) : undefined;
      });
    const first = await world.addTask();
    const other = await otherRunner(world, settings);
    const ofCancelled = await detached(1);
    assert.ok(isRunning(ofCancelled));
    await world.flows.tasks.cancel(first);
    await world.whenEnded(first);
    await waitFor('the end of what was cancelled', () => !isRunning(ofCancelled));
    await world.addTask();
    const ofKilled = await detached(2);
    other.child.kill('SIGKILL');
    await other.done;
    await waitFor('the end of what was left', () => !isRunning(ofKilled));
    await world.close();
  },
);

test('with orphans lost, the task of a killed runner is not run again', async () => {
  const settings = { leaseSeconds: 1, orphans: 'lost' as const, ...subagent(WAITS) };
  const world = await runnerWorld(settings);
  const id = await world.addTask();
  const other = await otherRunner(world, settings);
  await waitFor('a program', () => begun(world).length === 1);
  other.child.kill('SIGKILL');
  await other.done;
  await world.startRunner();
  assert.is((await world.whenEnded(id)).status, 'lost');
  assert.is(begun(world).length, 1);
  await world.close();
});

test('a lease outlasts work that takes longer than it', async () => {
  const settings = {
    leaseSeconds: 1,
    orphans: 'lost' as const,
    ...subagent('setTimeout(() => {}, 2500)'),
  };
  const world = await runnerWorld(settings);
  await world.startRunner();
  const task = await world.whenEnded(await world.addTask());
  assert.equal([task.status, task.attempts], ['succeeded', 1]);
  await world.close();
});

test('setting the clock forward does not end a lease that the runner renews', async () => {
  const settings = { leaseSeconds: 60, concurrency: 2, ...subagent(WAITS) };
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  const world = await runnerWorld(settings, { clock });
  await world.startRunner();
  const id = await world.addTask();
  await waitFor('a program', () => begun(world).length === 1);
  clock.ahead = 3_600_000;
  // As another process would, before the runner can have renewed anything.
  assert.is((await world.flows.operator.sweep()).requeued, 0);
  await world.whenTask(id, ({ leaseExpiresAt }) => (leaseExpiresAt ?? 0) > clock.now());
  world.home.write('go', '');
  const task = await world.whenEnded(id);
  assert.equal([task.status, task.attempts], ['succeeded', 1]);
  await world.close();
});

test('a task whose lease was lost is killed, and nothing is reported', async () => {
  const world = await runnerWorld(subagent(WAITS));
  await world.startRunner();
  const id = await world.addTask();
  const [pid = 0] = await waitFor('a program', () =>
    begun(world).length === 1 ? begun(world) : undefined,
  );
  await world.flows.operator.cancelFlow((await world.taskOf(id)).parentFlowId);
  assert.is((await world.whenEnded(id)).status, 'cancelled');
  await waitFor('its end', () => !isRunning(pid));
  await world.close();
});

test('draining lets tasks finish within the time limit', async () => {
  const world = await runnerWorld(subagent(WAITS));
  const runner = await world.startRunner();
  const id = await world.addTask();
  await waitFor('a program', () => begun(world).length === 1);
  const waiting = await world.addTask();
  const drained = runner.drain(60_000);
  world.home.write('go', '');
  await drained;
  assert.equal(
    [(await world.taskOf(id)).status, (await world.taskOf(waiting)).status],
    ['succeeded', 'queued'],
  );
  await world.close();
});

test('unfinished tasks return to the queue, and the attempt does not count', async () => {
  const world = await runnerWorld({ concurrency: 1, ...subagent(WAITS) });
  const runner = await world.startRunner();
  const id = await world.addTask();
  const pids = await waitFor('a program', () =>
    begun(world).length === 1 ? begun(world) : undefined,
  );
  await runner.drain(0);
  const task = await world.taskOf(id);
  assert.equal([task.status, task.attempts, task.leaseHash], ['queued', 0, null]);
  assert.not.ok(pids.some(isRunning));
  await world.close();
});

test('with orphans lost, unfinished tasks fail instead', async () => {
  const world = await runnerWorld({ orphans: 'lost', ...subagent(WAITS) });
  const runner = await world.startRunner();
  const id = await world.addTask();
  await waitFor('a program', () => begun(world).length === 1);
  await runner.drain(0);
  const task = await world.taskOf(id);
  assert.equal([task.status, task.error], ['failed', 'The runner was stopped.']);
  await world.close();
});

test('tasks of a runtime that is not configured wait for other workers', async () => {
  const world = await runnerWorld(subagent(''));
  await world.startRunner();
  const other = await world.addTask({ runtime: 'acp' });
  await world.whenEnded(await world.addTask());
  assert.is((await world.taskOf(other)).status, 'queued');
  await world.close();
});

test.after(closeWorlds);
test.run();
