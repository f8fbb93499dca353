import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, readFileSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileProgram } from './support/compile.js';
import { isRunning } from './support/processes.js';
import { ROOT } from './support/run-svc.js';
import { folderOf, type TempFolder } from './support/temp-folder.js';
import { waitFor } from './support/wait.js';

/** The test runner itself, on projects of a few test files. */
const test = suite('test runner');

const runner = await compileProgram(new URL('run.ts', import.meta.url));

const HEAD = `import { suite } from 'uvu';\nconst test = suite('s');\n`;
const PASSES = `test('passes', () => undefined);\n`;
const FILES = {
  'package.json': '{ "type": "module" }',
  'test/good.test.ts': `${HEAD}${PASSES}test.run();\n`,
};

function projectOf(files: Readonly<Record<string, string>>): TempFolder {
  const project = folderOf({ ...FILES, ...files });
  symlinkSync(join(ROOT, 'node_modules'), project.at('node_modules'));
  return project;
}

function runTests(project: TempFolder): { readonly status: number | null; readonly text: string } {
  const { status, stdout } = spawnSync(process.execPath, [runner, '--tests'], {
    cwd: project.path,
    encoding: 'utf8',
    env: { ...process.env, SVC_TEST_LEFTOVER_MS: '5000' },
  });
  return { status, text: stdout };
}

test('counts tests, and passes files that skip all of theirs', () => {
  const skips = `${HEAD}test.skip('later', () => undefined);\ntest.run();\n`;
  const { status, text } = runTests(projectOf({ 'test/skips.test.ts': skips }));
  assert.match(text, '\n1 passed, 0 failed');
  assert.is(status, 0);
});

for (const [what, content] of [
  ['nothing in it', ''],
  ['a suite that is never run', `${HEAD}${PASSES}`],
  ['a suite without tests', `${HEAD}test.run();\n`],
] as const) {
  test(`a file with ${what} fails`, () => {
    const { status, text } = runTests(projectOf({ 'test/empty.test.ts': content }));
    assert.match(text, 'FAIL test/empty.test.ts');
    assert.match(text, '\n1 passed, 1 failed');
    assert.is(status, 1);
  });
}

test('a failure is printed, and leftover processes do not hold up the other files', () => {
  const fails = `test('fails', () => {
    setInterval(() => undefined, 1000);
    throw Object.assign(new Error('no luck'), { details: { code: 7 } });
  });\n`;
  const { status, text } = runTests(
    projectOf({
      'test/left.test.ts': `${HEAD}${fails}${PASSES}test.run();\n`,
      'test/support/uvu.ts': `export * from ${JSON.stringify(join(ROOT, 'test/support/uvu.ts'))};`,
      'tsconfig.json': '{ "compilerOptions": { "paths": { "uvu": ["./test/support/uvu.ts"] } } }',
    }),
  );
  assert.match(text, 'no luck');
  assert.match(text, '{ code: 7 }');
  assert.match(text, 'something still runs after its last test');
  assert.match(text, '\n2 passed, 1 failed');
  assert.is(status, 1);
});

test('a file that cannot be compiled is named', () => {
  const { status, text } = runTests(projectOf({ 'test/broken.test.ts': `${HEAD}const = 1;\n` }));
  assert.match(text, 'FAIL the tests do not compile');
  assert.match(text, 'test/broken.test.ts:3:6: ERROR: Expected identifier');
  assert.match(text, '\n0 passed, 1 failed');
  assert.is(status, 1);
});

test('a file without tests fails in a shared process, too', () => {
  const { status, text } = runTests(
    projectOf({
      'test/ui/a.test.ts': FILES['test/good.test.ts'],
      'test/ui/b.test.ts': `${HEAD}${PASSES}`,
      'test/run-batch.ts': `await import(${JSON.stringify(join(ROOT, 'test/run-batch.ts'))});`,
    }),
  );
  assert.match(text, 'test/ui/b.test.ts ran no test');
  assert.match(text, '\n2 passed, 1 failed');
  assert.is(status, 1);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} sent only to the launcher ends what it runs`, async () => {
    const { at } = folderOf({
      'long.ts': `import { writeFileSync } from 'node:fs';
        setInterval(() => undefined, 1000);
        writeFileSync(new URL('pid', import.meta.url), \`\${process.pid}\\n\`);`,
    });
    await endsWith(signal, [join(ROOT, 'scripts/run.js'), at('long.ts')], at('pid'));
  });
}

// After SIGKILL, npm would write into the folder that the next start installs into.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGKILL'] as const) {
  test(`${signal} while a checkout is built ends the programs that npm started`, async () => {
    const { at } = folderOf({
      'package.json': '{ "type": "module" }',
      'package-lock.json': '{}',
      'bin/npm': '#!/bin/sh\nsleep 600 &\necho $! >"$PID_FILE"\nwait\n',
    });
    cpSync(join(ROOT, 'scripts'), at('scripts'), { recursive: true });
    chmodSync(at('bin/npm'), 0o755);
    const env = { PATH: `${at('bin')}:${process.env['PATH']}`, PID_FILE: at('pid') };
    await endsWith(signal, [at('scripts/build-checkout.js')], at('pid'), env);
  });
}

test('--help of a script describes it and runs nothing', () => {
  const args = [join(ROOT, 'scripts/run.js'), '--build', 'stress/crash', '--rounds', '1', '--help'];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.match(stdout, /^`npm run crash \[-- VICTIM …\] \[--rounds 300\]/);
  assert.not.match(stdout, /\*|kills, seed/);
});

test('several first commands in a checkout install one after the other, also after one that was killed', async () => {
  const { at, write, path } = folderOf({
    'package.json': '{ "type": "module" }',
    'package-lock.json': '{}',
    'bin/npm': `#!/bin/sh
      echo "begins $1" >>calls
      sleep 0.3
      mkdir -p node_modules/better-sqlite3/build/Release
      touch node_modules/better-sqlite3/build/Release/better_sqlite3.node node_modules/.package-lock.json
      echo "ends $1" >>calls\n`,
  });
  cpSync(join(ROOT, 'scripts'), at('scripts'), { recursive: true });
  write('scripts/build.js', 'export const isBuildStale = () => false;');
  chmodSync(at('bin/npm'), 0o755);
  const killed = write('.svc-installing', '');
  utimesSync(killed, 1, 1);
  const env = { ...process.env, PATH: `${at('bin')}:${process.env['PATH']}` };
  const options = { cwd: path, env, stdio: 'ignore' } as const;
  const commands = [1, 2, 3].map(() =>
    once(spawn(process.execPath, [at('scripts/build-checkout.js')], options), 'close'),
  );
  for (const [code] of await Promise.all(commands)) assert.is(code, 0);
  const calls = readFileSync(at('calls'), 'utf8').trim().split('\n');
  assert.is(calls.filter((call) => call === 'begins ci').length, 1);
  for (const [index, call] of calls.entries()) {
    if (index % 2 === 1) assert.is(call, calls[index - 1]?.replace('begins', 'ends'));
  }
  assert.not(existsSync(killed));
});

/** Sends a signal to a script once what it started has written its process id, and waits until that is gone. */
async function endsWith(
  signal: NodeJS.Signals,
  args: readonly string[],
  pidFile: string,
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  const child = spawn(process.execPath, args, {
    stdio: 'ignore',
    env: { ...process.env, ...env },
  });
  const closed = once(child, 'close');
  const isStarted = (): boolean =>
    existsSync(pidFile) && readFileSync(pidFile, 'utf8').endsWith('\n');
  await waitFor('the start', isStarted);
  child.kill(signal);
  await closed;
  const pid = Number(readFileSync(pidFile, 'utf8'));
  await waitFor('the end', () => !isRunning(pid));
}

test.run();
