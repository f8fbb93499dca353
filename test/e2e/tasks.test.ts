import { existsSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonOf } from '../support/json.js';
import {
  recordsOf,
  serve,
  serverHome,
  serveWebhooks,
  whenLogged,
  whenReady,
  writeConfig,
} from '../support/serving.js';
import { runInSession } from '../support/svc-session.js';
import type { TempFolder } from '../support/temp-folder.js';
import { waitFor } from '../support/wait.js';
import { act, CI_ENV, webhooksConfig } from '../support/webhooks.js';

const test = suite('running tasks under svc serve');

/** Appends notifications to a file. */
const SAVE_NOTIFICATION = `process.stdin.on('data', (part) =>
  require('node:fs').appendFileSync(process.env.SVC_HOME + '/notifications', part))`;

function config(script: string, more: object = {}): object {
  return {
    ...webhooksConfig(),
    flows: {
      runtimes: { subagent: { command: [process.execPath, '-e', script] } },
      notify: { command: [process.execPath, '-e', SAVE_NOTIFICATION] },
      ...more,
    },
  };
}

async function runTask(url: string): Promise<string> {
  const flow = Object((await act(url, { action: 'create_flow', goal: 'Build' })).body['result']);
  const { flowId } = flow.flow;
  const task = { action: 'run_task', flowId, runtime: 'subagent', task: 'build it' };
  const answer = Object((await act(url, task)).body['result']);
  return String(answer.task.taskId);
}

async function taskOf(home: TempFolder, id: string) {
  return jsonOf.taskShow(await runInSession(['task', 'show', id, '--json'], { home: home.path }))
    .task;
}

function whenTaskEnded(home: TempFolder, id: string) {
  return waitFor('the end of a task', async () => {
    const task = await taskOf(home, id);
    return task.endedAt === null ? undefined : task;
  });
}

test('a task from a webhook is run, and its end is delivered', async () => {
  const home = serverHome(config(`console.log('built')`));
  const { child, done } = serveWebhooks(home, ['--json', '--run-tasks'], { env: CI_ENV });
  const url = await whenReady(home);
  const id = await runTask(url);
  const task = await whenTaskEnded(home, id);
  assert.equal([task.status, task.terminalSummary], ['succeeded', 'built']);
  const file = home.at('notifications');
  const notification = await waitFor('a notification', () =>
    // The file exists before its text does.
    existsSync(file) ? readFileSync(file, 'utf8') || undefined : undefined,
  );
  assert.is(JSON.parse(notification).text, 'Background task done: build it. built');
  child.kill('SIGTERM');
  const run = await done;
  assert.is(run.code, 0, run.stderr);
  assert.equal(
    jsonOf.serve(run).services.map(({ name, state }) => `${name} ${state}`),
    ['webhooks stopped', 'flows stopped', 'tasks stopped'],
  );
});

test('by default, the webhook listener does not run tasks', async () => {
  const home = serverHome(config(`console.log('built')`));
  const { child, done } = serveWebhooks(home, ['--json'], { env: CI_ENV });
  const id = await runTask(await whenReady(home));
  child.kill('SIGTERM');
  assert.equal(
    jsonOf.serve(await done).services.map(({ name }) => name),
    ['webhooks', 'flows'],
  );
  assert.is((await taskOf(home, id)).status, 'queued');
});

test('a reload applies other runtimes without disturbing running tasks', async () => {
  const waits = `const fs = require('node:fs');
    fs.writeFileSync(process.env.SVC_HOME + '/begun', '');
    setInterval(() => {
      if (!fs.existsSync(process.env.SVC_HOME + '/go')) return;
      console.log('as before');
      process.exit(0);
    }, 20)`;
  const home = serverHome(config(waits));
  const { child, done } = serve(home, ['--without', 'memory'], { env: CI_ENV });
  const first = await runTask(await whenReady(home));
  await waitFor('the first task', () => existsSync(home.at('begun')));
  writeConfig(home, config(`console.log('after the reload')`));
  const before = recordsOf(home).length;
  child.kill('SIGHUP');
  // The listener, which does restart, takes another free port.
  await whenLogged(home, 'listening on', before);
  const second = await runTask(await whenReady(home));
  assert.is((await whenTaskEnded(home, second)).terminalSummary, 'after the reload');
  assert.is((await taskOf(home, first)).status, 'running');
  home.write('go', '');
  assert.is((await whenTaskEnded(home, first)).terminalSummary, 'as before');
  child.kill('SIGTERM');
  assert.is((await done).code, 0);
});

test('stopping releases running tasks', async () => {
  const home = serverHome({
    ...config(`require('node:fs').writeFileSync(process.env.SVC_HOME + '/begun', '');
      setInterval(() => {}, 1000)`),
    gateway: { port: 0, drainSeconds: 8 },
  });
  const { child, done } = serve(home, ['--without', 'memory', '--json'], { env: CI_ENV });
  const id = await runTask(await whenReady(home));
  await waitFor('the task', () => existsSync(home.at('begun')));
  child.kill('SIGTERM');
  const run = await done;
  assert.is(run.code, 0, run.stderr);
  assert.ok(jsonOf.serve(run).drained);
  const task = await taskOf(home, id);
  assert.equal([task.status, task.attempts], ['queued', 0]);
});

test('a reload changes how long a stop waits for tasks', async () => {
  const settings = config(`require('node:fs').writeFileSync(process.env.SVC_HOME + '/begun', '');
    setTimeout(() => console.log('done'), 2500)`);
  const home = serverHome({ ...settings, gateway: { port: 0, drainSeconds: 8 } });
  const { child, done } = serve(home, ['--without', 'memory', '--json'], { env: CI_ENV });
  const id = await runTask(await whenReady(home));
  await waitFor('the task', () => existsSync(home.at('begun')));
  writeConfig(home, { ...settings, gateway: { port: 0, drainSeconds: 60 } });
  child.kill('SIGHUP');
  await whenLogged(home, 'reloaded');
  child.kill('SIGTERM');
  await done;
  assert.is((await taskOf(home, id)).terminalSummary, 'done');
});

test.run();
