/** The ways in which the tool can misbehave, by the switches. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forget } from './collections.mjs';

const NOISE = 'Loading configuration\n[info] cache is warm\n';
const HUGE = 700_000;

const WRONG_NODE = `node:internal/modules/cjs/loader:1586
  return process.dlopen(module, path.toNamespacedPath(filename));
                 ^

Error: The module 'better_sqlite3.node'
was compiled against a different Node.js version using
NODE_MODULE_VERSION 137. This version of Node.js requires
NODE_MODULE_VERSION 115. Please try re-compiling or re-installing
the module (for instance, using \`npm rebuild\` or \`npm install\`).
    at Object..node (node:internal/modules/cjs/loader:1586:18) {
  code: 'ERR_DLOPEN_FAILED'
}

Node.js v20.20.2
`;

/** Failures before it has done anything. */
const START_FAILURES = {
  wrong_node: { status: 1, stdout: '', stderr: WRONG_NODE },
  old_node: {
    status: 1,
    stdout: '',
    stderr: 'Error: node (>=22) not found. Install from https://nodejs.org\n',
  },
  no_bun: {
    status: 1,
    stdout: '',
    stderr: 'Error: bun not found. Install from https://bun.sh\n',
  },
};

/** The misbehaviour that is set for a command, if any. Each call counts for its `times`. */
export function misbehaviourOf(command, { on = {} }, folder) {
  const key = on[command] === undefined ? '*' : command;
  const misbehaviour = on[key];
  if (misbehaviour?.times === undefined) return misbehaviour;
  const file = join(folder, `times-${key === '*' ? 'any' : key}`);
  const done = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  if (done >= misbehaviour.times) return undefined;
  writeFileSync(file, String(done + 1));
  return misbehaviour;
}

/** Misbehaves before the command runs. @returns what it ends with instead, if it does */
export async function misbehaveBefore(misbehaviour, { places, release, folder }) {
  if (misbehaviour === undefined) return undefined;
  const { kind } = misbehaviour;
  if (kind === 'slow') await new Promise((done) => setTimeout(done, misbehaviour.ms));
  if (kind === 'hangs') await hang(folder);
  if (kind === 'forgets') forget(places, release, misbehaviour.collection);
  if (kind === 'fails') return { stdout: '', stderr: '', ...misbehaviour };
  return START_FAILURES[kind];
}

/** Waits between the work and the end. */
export async function linger(misbehaviour, folder) {
  if (misbehaviour?.kind !== 'lingers') return;
  writeFileSync(join(folder, 'lingers'), '');
  await new Promise((done) => setTimeout(done, misbehaviour.ms));
}

/** Spoils an answer. */
export function alterAnswer(misbehaviour, answer) {
  const { stdout } = answer;
  switch (misbehaviour?.kind) {
    case 'garbage':
      return { ...answer, stdout: 'Segmentation of {"results" [oops\n\u0000\u0001}]\n' };
    case 'banner':
      return { ...answer, stdout: `${NOISE}${stdout}[done] in 3 ms\n` };
    case 'truncated':
      return { ...answer, stdout: stdout.slice(0, Math.floor(stdout.length / 2)) };
    case 'killed':
      return { ...answer, stdout: stdout.slice(0, Math.floor(stdout.length / 2)), dies: true };
    case 'huge':
      return { ...answer, stdout: enlarged(stdout) };
    default:
      return answer;
  }
}

function enlarged(stdout) {
  const rows = stdout.startsWith('[') ? JSON.parse(stdout) : [];
  const [first = { docid: '#000000', score: 0.1, file: 'qmd://none/none.md', title: '' }] = rows;
  const more = { ...first, snippet: `${first.snippet ?? ''}${'word '.repeat(HUGE / 5)}` };
  return `${JSON.stringify([more, ...rows.slice(1)], null, 2)}\n`;
}

/** Ignores SIGTERM and SIGINT, with a child that ignores them too. */
async function hang(folder) {
  const { spawn } = await import('node:child_process');
  const ignoreSignals =
    "process.on('SIGTERM',()=>{});process.on('SIGINT',()=>{});setInterval(()=>{},1e6)";
  const child = spawn(process.execPath, ['-e', ignoreSignals], { stdio: 'ignore' });
  process.on('SIGTERM', () => undefined);
  process.on('SIGINT', () => undefined);
  writeFileSync(join(folder, `hanging-${process.pid}`), `${process.pid} ${child.pid}`);
  await new Promise(() => setInterval(() => undefined, 1e6));
}
