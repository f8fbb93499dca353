import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn as spawnInTerminal } from '@lydell/node-pty';

const PATIENCE_MS = 60_000;

/**
 * Tries what a standalone executable could get wrong: native parts, child processes, code that is loaded later. Without
 * a PATH, so that it cannot use another Node.js.
 *
 * @param {string} executable
 * @param {string} work a folder for temporary files
 */
export async function smokeTest(executable, work) {
  const home = join(work, 'home');
  const notes = join(home, 'notes');
  mkdirSync(notes, { recursive: true });
  writeFileSync(join(notes, 'a.md'), '# Harbour\n\nThe needle is in the harbour.\n');
  writeFileSync(join(notes, 'b.html'), '<title>Attic</title><p>The needle is in the attic.</p>');
  const { PATH: _, NODE_OPTIONS: __, ...others } = process.env;
  /** @type {World} */
  const world = { executable, home, env: { ...others, HOME: home, SVC_HOME: home } };
  configure(world);
  for (const [what, check] of CHECKS) {
    try {
      await check(world);
    } catch (error) {
      console.error(`error: ${what} failed: ${error instanceof Error ? error.message : error}`);
      process.exit(1);
    }
    console.error(`ok: ${what}`);
  }
}

/** @typedef {{ executable: string, home: string, env: Record<string, string | undefined> }} World */

/** @type {readonly (readonly [string, (world: World) => unknown])[]} */
const CHECKS = [
  ['native parts', checkNativeParts],
  ['search, with a document from a child process', checkSearch],
  ['home, with data from a child process', checkHome],
  ['starting svc from elsewhere', checkSystemd],
  ['a task of svc serve, ended when svc is killed', checkServe],
];

/** @param {World} world */
function checkNativeParts(world) {
  const { sqliteDriver, modules } = JSON.parse(svc(world, 'version', '--verbose', '--json'));
  expect(sqliteDriver === 'better-sqlite3', `SQLite is used through ${sqliteDriver}`);
  const vectors = modules.find(({ name }) => name === 'sqlite-vec');
  expect(vectors.state === 'ok', `sqlite-vec: ${vectors.why}`);
}

/** @param {World} world */
function checkSearch(world) {
  const { results } = JSON.parse(svc(world, 'memory', 'search', 'needle', '--json'));
  const files = results.map(({ path }) => path).sort();
  expect(/a\.md,.*b\.html$/u.test(String(files)), `found in ${files}`);
}

/** @param {World} world */
async function checkHome({ executable, home, env }) {
  const session = spawnInTerminal(executable, [], { cols: 100, rows: 30, cwd: home, env });
  let output = '';
  session.onData((data) => {
    output += data;
  });
  const ended = new Promise((resolve) => session.onExit(resolve));
  await until('the state of the index', () => output.includes('up to date'));
  session.write('q');
  const { exitCode } = await ended;
  expect(exitCode === 0, `exit code ${exitCode}`);
}

/** @param {World} world */
function checkSystemd(world) {
  const unit = svc(world, 'serve', '--print-systemd');
  expect(unit.includes(`ExecStart=${world.executable} serve`), unit);
}

/** @param {World} world */
async function checkServe(world) {
  const { executable, home, env } = world;
  const child = spawn(executable, ['serve', '--plain'], { cwd: home, env, stdio: 'ignore' });
  try {
    svc(world, 'schedule', 'run', 'smoke');
    const started = join(home, 'started');
    await until('the task', () => existsSync(started) && readFileSync(started, 'utf8') !== '');
    const pid = Number(readFileSync(started, 'utf8'));
    child.kill('SIGKILL');
    // Nothing outlives svc, since a small process of it watches.
    await until('the end of the task', () => !isRunning(pid));
  } finally {
    child.kill('SIGKILL');
  }
}

const TASK = `require('node:fs').writeFileSync('started', String(process.pid)); setInterval(() => {}, 1000)`;

/** @param {World} world */
function configure({ executable, home }) {
  const config = {
    agents: {
      defaults: {
        workspace: join(home, 'notes'),
        memorySearch: { provider: 'none', extraPaths: ['.'], documents: ['html'] },
      },
    },
    gateway: { port: 0 },
    flows: { runtimes: { subagent: { command: [executable, '-e', TASK], cwd: home } } },
    schedules: {
      smoke: {
        cron: '0 0 1 1 *',
        sessionKey: 'agent:main:main',
        set: { goal: 'Test' },
        task: { runtime: 'subagent', task: 'wait' },
      },
    },
  };
  writeFileSync(join(home, 'svc.json'), JSON.stringify(config), { mode: 0o600 });
}

/**
 * @param {World} world
 * @param {readonly string[]} args
 * @returns {string} what it printed
 */
function svc({ executable, home, env }, ...args) {
  const options = { cwd: home, env, encoding: 'utf8', timeout: PATIENCE_MS };
  const { status, stdout, stderr, error } = spawnSync(executable, args, options);
  expect(status === 0, `svc ${args.join(' ')}: ${error?.message ?? stderr}`);
  return stdout;
}

/** @param {string} what @param {() => boolean} condition */
async function until(what, condition) {
  const deadline = Date.now() + PATIENCE_MS;
  while (!condition()) {
    expect(Date.now() < deadline, `waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** @param {boolean} condition @param {string} message */
function expect(condition, message) {
  if (!condition) throw new Error(message);
}
