import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Minder } from '../../../src/engine/child/minder.js';
import { SvcError } from '../../../src/engine/errors/index.js';
import type { TaskRecord } from '../../../src/engine/flow-model/task-record.js';
import type { ClaimedTask, Flows } from '../../../src/engine/flows/index.js';
import {
  endFailure,
  followErrors,
  type JobEnd,
  type StartJob,
} from '../../../src/engine/task-runner/job.js';
import { runnerSettings } from '../../../src/engine/task-runner/runner-settings.js';
import { startSubagent } from '../../../src/engine/task-runner/start-subagent.js';
import { type TaskAttempt, taskAttempt } from '../../../src/engine/task-runner/task-attempt.js';
import { claimTask, leaseOf } from '../../support/flows.js';
import { closeWorlds, runnerWorld, subagent } from '../../support/runner.js';
import { testLog } from '../../support/services.js';
import { waitFor } from '../../support/wait.js';

const test = suite('an attempt at a task');

const LEASE_MS = 60_000;

interface Attempted {
  readonly task: TaskRecord;
  readonly logged: string;
}

/** Claims a task and attempts it. */
async function attempted(
  startJob: StartJob,
  before: (attempt: TaskAttempt, flows: Flows) => void = () => undefined,
  claim: (flows: Flows) => Promise<ClaimedTask> = claimTask,
): Promise<Attempted> {
  const world = await runnerWorld({
    orphans: 'lost',
    ...subagent('', { maxAttempts: 1, env: { MY_KEY: SECRET } }),
  });
  const id = await world.addTask();
  const claimed = await claim(world.flows);
  const settings = runnerSettings(world.context, world.loaded).subagent;
  assert.ok(settings !== undefined);
  const { logger, lines } = testLog();
  const minder = new Minder(process.execPath);
  const attempt = taskAttempt(claimed, {
    flows: world.flows,
    clock: world.context.clock,
    log: logger,
    settings,
    startJob,
    announce: minder.announce,
  });
  before(attempt, world.flows);
  await attempt.run();
  minder.close();
  const task = await world.taskOf(id);
  await world.close();
  return { task, logged: lines.join('') };
}

/** A job without a program. */
const ends = (end: JobEnd): ReturnType<StartJob> => ({
  ended: Promise.resolve(end),
  stop: () => undefined,
  kill: () => undefined,
});

const SECRET = 'hunter2-hunter2-hunter2';

test('with orphans lost, one that was claimed and never started goes back into the queue', async () => {
  const { task } = await attempted(startSubagent, (attempt) => attempt.interrupt());
  assert.equal([task.status, task.attempts, task.error], ['queued', 0, null]);
});

test('one whose claim was answered after the end of its lease is not started', async () => {
  let starts = 0;
  const job = (): ReturnType<StartJob> => {
    starts += 1;
    return ends({ kind: 'succeeded' });
  };
  const { task } = await attempted(job, undefined, async (flows) => {
    const claimed = await claimTask(flows);
    return { ...claimed, askedAtMs: claimed.askedAtMs - LEASE_MS - 1000 };
  });
  assert.equal([starts, task.status], [0, 'running']);
});

test('one whose task another worker holds by now is killed before its next report', async () => {
  const killed = new AbortController();
  const job = (): ReturnType<StartJob> => ({
    ended: once(killed.signal, 'abort').then(() => ({ kind: 'succeeded' })),
    stop: () => undefined,
    kill: () => killed.abort(),
  });
  const startedMs = performance.now();
  const { task } = await attempted(job, undefined, async (flows) => {
    const claimed = await claimTask(flows);
    await flows.tasks.release(leaseOf(claimed));
    await claimTask(flows, { worker: 'another' });
    return claimed;
  });
  assert.equal([task.status, task.leaseOwner], ['running', 'another']);
  assert.ok(performance.now() - startedMs < LEASE_MS / 4);
});

test('one that is abandoned is killed at once, not only asked to end', async () => {
  const calls: string[] = [];
  const ending = new AbortController();
  let abandon = (): void => undefined;
  const job = (): ReturnType<StartJob> => {
    setImmediate(() => abandon());
    return {
      ended: once(ending.signal, 'abort').then(() => ({ kind: 'succeeded' })),
      stop: () => {
        calls.push('stop');
        setImmediate(() => ending.abort());
      },
      kill: () => calls.push('kill'),
    };
  };
  const { task } = await attempted(job, (attempt) => {
    abandon = () => attempt.abandon();
  });
  assert.equal(calls, ['stop', 'kill']);
  assert.equal([task.status, task.error], ['failed', 'The runner was stopped.']);
});

test('each line of progress is stored soon after it is reported, not with the next heartbeat', async () => {
  const startedMs = performance.now();
  let stored: (() => Promise<string | null>) | undefined;
  const { task } = await attempted(
    (_job, { progress }) => {
      const reports = async (): Promise<JobEnd> => {
        for (const line of ['one', 'two']) {
          progress(line);
          await waitFor(line, async () => (await stored?.()) === line);
        }
        return { kind: 'succeeded' };
      };
      return { ...ends({ kind: 'succeeded' }), ended: reports() };
    },
    undefined,
    async (flows) => {
      const claimed = await claimTask(flows);
      const { taskId } = claimed.task;
      stored = async () => (await flows.operator.showTask(taskId)).task.progressSummary;
      return claimed;
    },
  );
  assert.is(task.status, 'succeeded');
  assert.ok(performance.now() - startedMs < LEASE_MS / 4);
});

test('a result that cannot be masked fails the task and does no other harm', async () => {
  const result = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
  const { task } = await attempted(() => ends({ kind: 'succeeded', result }));
  assert.is(task.status, 'failed');
  assert.match(task.error ?? '', /call stack/);
});

test('a result that cannot be stored is retried, with one line in the log', async () => {
  const { task, logged } = await attempted(
    () => ends({ kind: 'succeeded', summary: 'done' }),
    (_attempt, { tasks }) => {
      const { complete } = tasks;
      let failures = 0;
      Object.assign(tasks, {
        complete: async (...args: Parameters<typeof complete>) => {
          failures += 1;
          if (failures <= 2) throw new SvcError('STORAGE_UNREACHABLE', 'no answer');
          return complete(...args);
        },
      });
    },
  );
  assert.equal([task.status, task.terminalSummary], ['succeeded', 'done']);
  assert.is(logged.match(/could not report the end/g)?.length, 1);
});

test('a text is masked before it is shortened', async () => {
  const text = `${'x'.repeat(285)} ${SECRET}`;
  const stderr = new PassThrough();
  const { task, logged } = await attempted((_job, { note, progress }) => {
    const lastError = followErrors(stderr, note);
    stderr.end(text);
    progress(text);
    const ended = once(stderr, 'close').then((): JobEnd => {
      const error = endFailure({ kind: 'exited', exitCode: 1 }, lastError());
      return { kind: 'failed', error, retry: false };
    });
    return { ...ends({ kind: 'succeeded' }), ended };
  });
  assert.match(task.error ?? '', /^exited with code 1: x{285} \*{8}$/);
  assert.match(logged, /stderr: x+ \*+…/);
  assert.not.match(JSON.stringify(task) + logged, SECRET.slice(0, 8));
});

test.after(closeWorlds);
test.run();
