import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { allPages, fencesOf } from '../docs/pages.js';
import { newFlow, newTask, testFlows } from '../support/flows.js';
import { installSvc } from '../support/run-svc.js';
import { tempFolder } from '../support/temp-folder.js';
import { waitFor } from '../support/wait.js';

const test = suite('the worker of docs/flows.md');

const isUsable = spawnSync('jq', ['--version']).status === 0;
const when = isUsable ? test : test.skip;
if (!isUsable) process.stdout.write('skipped: there is no jq here\n');

/** The documented worker, with shorter waits. */
function worker(): string {
  const page = allPages().find(({ path }) => path === 'docs/flows.md');
  const fence = fencesOf(page?.text ?? '').find(({ text }) => text.includes('task claim --wait'));
  return (fence?.text ?? '').replace('sleep 5', 'sleep 0.1');
}

when('completes tasks, and reports those that fail or are cancelled', async () => {
  const folder = tempFolder();
  folder.writeScript(
    'work-on',
    `case "$(cat "$1")" in fail) exit 1;; forever) exec sleep 600;; esac; echo '{"read": true}'`,
  );
  const { flows, home, clock } = await testFlows({ runtimes: { subagent: { maxAttempts: 1 } } });
  clock.nowMs = Date.now();
  const config = folder.write(
    'svc.json',
    '{"flows": {"runtimes": {"subagent": {"maxAttempts": 1}}}}',
  );
  const flowId = await newFlow(flows);
  const ids = [
    await newTask(flows, flowId, { task: 'read it' }),
    await newTask(flows, flowId, { task: 'fail' }),
    await newTask(flows, flowId, { task: 'forever' }),
  ];
  const path = `${installSvc(folder)}:${process.env['PATH'] ?? ''}`;
  const child = spawn('sh', ['-c', worker()], {
    cwd: folder.path,
    env: { PATH: path, HOME: home, SVC_HOME: home, SVC_CONFIG: config },
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  });
  const statuses = (): Promise<readonly string[]> =>
    Promise.all(ids.map(async (id) => (await flows.operator.showTask(id)).task.status));
  await waitFor('the third task', async () => (await statuses())[2] === 'running');
  await flows.tasks.cancel(ids[2] ?? '');
  await waitFor('the end of the third task', async () => (await statuses())[2] !== 'running');
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  await once(child, 'close');
  assert.equal(await statuses(), ['succeeded', 'failed', 'cancelled']);
  assert.is((await flows.operator.showTask(ids[0] ?? '')).task.resultJson, '{"read":true}');
  await flows.close();
});

test.run();
