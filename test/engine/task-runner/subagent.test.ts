import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isRunning } from '../../support/processes.js';
import { closeWorlds, runnerWorld, subagent } from '../../support/runner.js';
import { tempFolder } from '../../support/temp-folder.js';
import { waitFor } from '../../support/wait.js';

const test = suite('tasks of runtime subagent');

/** Prints JSON lines and ends. */
const says = (...lines: readonly unknown[]): string =>
  `for (const line of ${JSON.stringify(lines)}) console.log(JSON.stringify(line))`;

test('a program reads its task and flow, reports progress and returns a result', async () => {
  const echo = `
    let text = '';
    process.stdin.on('data', (part) => { text += part; }).on('end', () => {
      console.log(JSON.stringify({ type: 'progress', text: 'reading\\u001b[31m it' }));
      const given = JSON.parse(text);
      console.log(JSON.stringify({ type: 'result', summary: 'read it', outcome: 'blocked',
        result: { given, cwd: process.cwd(), id: process.env.SVC_TASK_ID } }));
      setTimeout(() => {}, 1500);
    });`;
  const world = await runnerWorld(subagent(echo));
  await world.startRunner();
  const id = await world.addTask({ task: 'count the pages', label: 'pages' });
  await world.whenTask(id, ({ progressSummary }) => progressSummary === 'reading [31m it');
  const task = await world.whenEnded(id);
  assert.equal(
    [task.status, task.terminalOutcome, task.terminalSummary, task.attempts],
    ['succeeded', 'blocked', 'read it', 1],
  );
  const { given, cwd, id: told } = JSON.parse(task.resultJson ?? '');
  assert.is(told, id);
  assert.is(cwd, world.home.at('workspace'));
  assert.is(given.protocolVersion, 1);
  assert.equal([given.attempt, given.maxAttempts], [1, 3]);
  assert.is(given.sessionKey, 'agent:main:main');
  assert.equal([given.task.task, given.task.label], ['count the pages', 'pages']);
  assert.is(given.flow.goal, 'a goal');
  await world.close();
});

test('a plain script needs no protocol: its output is progress, its exit the result', async () => {
  const world = await runnerWorld(subagent(`console.log('step one'); console.log('all is well')`));
  await world.startRunner();
  const task = await world.whenEnded(await world.addTask());
  assert.equal([task.status, task.terminalSummary], ['succeeded', 'all is well']);
  await world.close();
});

/** How a program fails, and what the record then contains. */
const FAILURES: readonly (readonly [what: string, script: string, error: RegExp])[] = [
  [
    'an exit code',
    `console.error('no such page'); process.exit(3)`,
    /^exited with code 3: no such page$/,
  ],
  ['a signal', `process.kill(process.pid, 'SIGKILL')`, /^killed by SIGKILL$/],
  ['its own word', says({ type: 'error', message: 'no luck' }), /^no luck$/],
  [
    'a result that it takes back by its exit code',
    `${says({ type: 'result' })}; process.exitCode = 1`,
    /^exited with code 1$/,
  ],
];

for (const [what, script, error] of FAILURES) {
  test(`a program fails by ${what}`, async () => {
    const world = await runnerWorld(subagent(script, { maxAttempts: 1 }));
    await world.startRunner();
    const task = await world.whenEnded(await world.addTask());
    assert.is(task.status, 'failed');
    assert.match(task.error ?? '', error);
    await world.close();
  });
}

test('a missing program and a missing folder are reported', async () => {
  const world = await runnerWorld({
    runtimes: { subagent: { command: ['no-such-program'], maxAttempts: 1 } },
  });
  await world.startRunner();
  assert.match(
    (await world.whenEnded(await world.addTask())).error ?? '',
    /program not found: no-such-program/,
  );
  await world.close();
  const homeless = await runnerWorld(subagent('', { maxAttempts: 1, cwd: 'nowhere' }));
  await homeless.startRunner();
  assert.match(
    (await homeless.whenEnded(await homeless.addTask())).error ?? '',
    /working directory not found: .*nowhere/,
  );
  await homeless.close();
  const home = tempFolder();
  home.write('script', '#!/nowhere/interpreter\n');
  chmodSync(home.at('script'), 0o755);
  const broken = await runnerWorld({
    runtimes: { subagent: { command: [home.at('script')], maxAttempts: 1 } },
  });
  await broken.startRunner();
  assert.match(
    (await broken.whenEnded(await broken.addTask())).error ?? '',
    /could not be started \(ENOENT\), probably because the interpreter/,
  );
  await broken.close();
});

test('a failed attempt is retried after a delay, unless the program rules it out', async () => {
  const clock = { nowMs: Date.now(), now: () => clock.nowMs };
  const world = await runnerWorld(
    subagent(`const fs = require('node:fs');
      const file = process.env.SVC_HOME + '/tries';
      fs.appendFileSync(file, 'x');
      const tries = fs.readFileSync(file, 'utf8').length;
      // Left out, it is true.
      const retry = tries < 2 ? undefined : false;
      console.log(JSON.stringify({ type: 'error', message: 'try ' + tries, retry }));`),
    { clock },
  );
  await world.startRunner();
  const id = await world.addTask();
  const queued = await world.whenTask(
    id,
    ({ status, attempts }) => status === 'queued' && attempts === 1,
  );
  assert.is(queued.error, 'try 1');
  clock.nowMs = queued.nextRunAt ?? 0;
  const ended = await world.whenEnded(id);
  assert.equal([ended.status, ended.error, ended.attempts], ['failed', 'try 2', 2]);
  await world.close();
  const lines = world.logText().split('\n').filter(Boolean);
  const parsed = lines.map((line): Record<string, unknown> => JSON.parse(line));
  assert.equal(
    parsed.map(({ level, msg }) => [level, msg]),
    [
      ['info', 'task started'],
      ['info', 'task queued'],
      ['info', 'task started'],
      ['warn', 'task failed'],
    ],
  );
});

test('floods, garbage and endless lines do no harm', async () => {
  const flood = `
    const { writeSync } = require('node:fs');
    const part = 'x'.repeat(65536);
    for (let n = 0; n < 100; n++) writeSync(1, part);
    writeSync(1, '\\n{"type":"result","summary":5}\\n{"type":"none"}\\n\\xff\\xfe\\0{{{\\n[1]\\n{"a":\\n');
    for (let n = 0; n < 20000; n++) writeSync(1, 'noise ' + n + '\\n');
    for (let n = 0; n < 2000; n++) {
      writeSync(1, '{"level":"info"}\\n');
      writeSync(2, 'grumble ' + n + '\\n');
    }
    writeSync(1, JSON.stringify({ type: 'result', result: [1, 2] }));`;
  const world = await runnerWorld(subagent(flood));
  await world.startRunner();
  const task = await world.whenEnded(await world.addTask());
  assert.equal(
    [task.status, task.resultJson, task.terminalSummary],
    ['succeeded', '[1,2]', 'noise 19999'],
  );
  assert.match(world.logText(), /skipped a line of more than 1048576 bytes/);
  assert.match(world.logText(), /further lines of the program are not logged/);
  assert.ok(world.logText().length < 100_000);
  await world.close();
});

test('a byte order mark before the first message is not part of it', async () => {
  const message = JSON.stringify({ type: 'result', summary: 'read it' });
  const world = await runnerWorld(subagent(`console.log('\\uFEFF' + '${message}')`));
  await world.startRunner();
  const task = await world.whenEnded(await world.addTask());
  assert.is(task.terminalSummary, 'read it');
  await world.close();
});

test('a message that is nested too deeply is skipped, and nothing else is harmed', async () => {
  const nested = (levels: number): string =>
    `console.log('{"type":"result","result":' + '['.repeat(${levels}) + ']'.repeat(${levels}) + '}')`;
  const depths = [64, 2000, 4000, 100_000].map(nested);
  const world = await runnerWorld(subagent([nested(63), ...depths].join(';'), { maxAttempts: 1 }));
  await world.startRunner();
  const task = await world.whenEnded(await world.addTask());
  assert.equal([task.status, task.resultJson], ['succeeded', '['.repeat(63) + ']'.repeat(63)]);
  const skipped = world
    .logText()
    .match(/skipped a JSON object that is nested deeper than 64 levels/g);
  assert.is(skipped?.length, depths.length);
  await world.close();
});

test('a result that would be stored as another value is skipped, and the task fails', async () => {
  const results = ['{"n":12345678901234567890}', '{"u":"\\ud800"}', '{"e":1e999}', '{"a":1,"a":2}'];
  const lines = results.map((result) => `{"type":"result","result":${result}}`).join('\n');
  const program = `console.log(${JSON.stringify(lines)})`;
  const world = await runnerWorld(subagent(program, { maxAttempts: 1 }));
  await world.startRunner();
  const task = await world.whenEnded(await world.addTask());
  assert.equal([task.status, task.resultJson], ['failed', null]);
  assert.is(task.error, 'its result contains a duplicate field');
  const skipped = world.logText().match(/skipped a JSON object that contains/g);
  assert.is(skipped?.length, results.length);
  await world.close();
});

test('values in parts of a message that svc ignores harm nothing', async () => {
  const error =
    '{"type":"error","message":"upload failed","retry":false,"requestId":12345678901234567890}';
  const world = await runnerWorld(subagent(`console.log(${JSON.stringify(error)})`));
  await world.startRunner();
  const task = await world.whenEnded(await world.addTask());
  assert.equal([task.status, task.error], ['failed', 'upload failed']);
  await world.close();
});

test('a hanging program is killed at its time limit, and counts as timed out', async () => {
  const world = await runnerWorld(
    subagent(`process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000)`, {
      maxAttempts: 1,
      timeoutSeconds: 1,
    }),
  );
  await world.startRunner();
  const task = await world.whenEnded(await world.addTask());
  assert.equal([task.status, task.error], ['timed_out', 'It took more than 1 s.']);
  await world.close();
});

test('cancelling kills a program with its children at once', async () => {
  const parent = `
    const { spawn } = require('node:child_process');
    const idle = 'process.on("SIGTERM", () => {}); console.log("up"); setInterval(() => {}, 1000)';
    const child = spawn(process.execPath, ['-e', idle], { stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.once('data', () => require('node:fs')
      .writeFileSync(process.env.SVC_HOME + '/pids', process.pid + ' ' + child.pid));
    setInterval(() => {}, 1000);`;
  const world = await runnerWorld(subagent(parent));
  await world.startRunner();
  const id = await world.addTask();
  const file = world.home.at('pids');
  await waitFor('the pids', () => existsSync(file) && readFileSync(file, 'utf8').includes(' '));
  const pids = readFileSync(file, 'utf8').split(' ').map(Number);
  assert.ok(pids.every(isRunning));
  await world.flows.tasks.cancel(id);
  assert.is((await world.whenEnded(id)).status, 'cancelled');
  await waitFor('their end', () => !pids.some(isRunning));
  await world.close();
});

test('processes that a program leaves behind are killed', async () => {
  const world = await runnerWorld(
    subagent(`const child = require('node:child_process')
      .spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
      child.unref();
      console.log(JSON.stringify({ type: 'result', result: child.pid }));
      process.exit(0);`),
  );
  await world.startRunner();
  const task = await world.whenEnded(await world.addTask());
  await waitFor('its end', () => !isRunning(Number(task.resultJson)));
  await world.close();
});

test('a program gets none of the secrets of svc, and its own are in no record and no log', async () => {
  const secret = 'hunter2-hunter2-hunter2';
  const world = await runnerWorld(
    subagent(
      `const text = 'x'.repeat(285) + ' ' + process.env.MY_KEY;
       console.error(text);
       console.log(JSON.stringify({ type: 'progress', text }));
       console.log(JSON.stringify({ type: 'result', summary: process.env.MY_KEY,
         result: { names: Object.keys(process.env), key: [process.env.MY_KEY] } }));`,
      { env: { MY_KEY: secret } },
    ),
    { env: { OPENAI_API_KEY: 'sk-of-svc', LC_ALL: 'C', HOME: '/tmp' } },
  );
  await world.startRunner();
  const task = await world.whenEnded(await world.addTask());
  const { names } = JSON.parse(task.resultJson ?? '');
  assert.ok(names.includes('MY_KEY') && names.includes('PATH') && names.includes('LC_ALL'));
  assert.not.ok(names.includes('OPENAI_API_KEY'));
  // Nor a part of it where a text was cut.
  assert.not.match(JSON.stringify(task) + world.logText(), secret.slice(0, 8));
  await world.close();
});

test.after(closeWorlds);
test.run();
