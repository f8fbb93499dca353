/**
 * `npm run bench -- ext [--into FOLDER]`: the overhead of `svc memory search` over the external program that
 * answers it, as whole processes: the same query, run on the program itself with the same index.
 *
 * Uses the tests' fake program, which behaves like the newest release; with --into, real releases that
 * `npm run test:ext -- --into FOLDER` installed, with more notes.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { RELEASES, releaseAt } from '../test/ext/releases.js';
import { installQmd } from '../test/support/qmd.js';
import { buildCorpus } from './corpus.js';
import { type Subject, type Timing, timeInTurn } from './measure.js';
import { report } from './report.js';
import { type Row, wholeMs } from './table.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'bin/run.js');

const QUESTION = 'install package';
const ROUNDS = 25;
const TARGET = '+ 60 ms';
/** The fake reads all notes for each query. */
const FEW_BYTES = 3e5;
const MANY_BYTES = 16e6;

/** A program to measure. */
interface ExtProgram {
  readonly name: string;
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

function main(installed: string | undefined): void {
  const dir = mkdtempSync(join(tmpdir(), 'svc-bench-ext-'));
  try {
    const bytes = installed === undefined ? FEW_BYTES : MANY_BYTES;
    const corpus = buildCorpus(join(dir, 'ws/memory'), join(root, 'node_modules'), bytes);
    const rows = programsIn(installed).flatMap((measured) => measure(dir, measured));
    const size = `${corpus.files} files, ${(corpus.bytes / 1e6).toFixed(1)} MB`;
    report('ext', `"${QUESTION}", ${size}. The baseline is the program itself`, rows);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function programsIn(installed: string | undefined): readonly ExtProgram[] {
  if (installed === undefined) {
    return [{ name: 'the stand-in', command: installQmd().command, env: {} }];
  }
  return RELEASES.map((version) => ({ name: version, ...releaseAt(installed, version) }));
}

function measure(dir: string, { name, command, env: programEnv }: ExtProgram): readonly Row[] {
  const home = join(dir, `home-${name}`);
  const config = join(dir, `${name}.json`);
  const agents = { defaults: { workspace: 'ws', memorySearch: { provider: 'none' } } };
  const ext = { command, limits: { timeoutMs: 60_000 } };
  writeFileSync(config, JSON.stringify({ agents, memory: { backend: 'ext', ext } }));
  const env = { ...programEnv, SVC_HOME: home, SVC_CONFIG: config };
  const search: Subject = {
    name: 'svc memory search',
    args: [program, 'memory', 'search', QUESTION, '--json'],
    env,
  };
  // Query only the collection with results: MEMORY.md has none.
  const itself: Subject = {
    name: 'the program itself',
    program: command,
    args: ['search', QUESTION, '--json', '-n', '18', '-c', 'memory-dir-main'],
    env: { ...env, ...placesOf(join(home, 'agents/main/qmd')) },
  };
  checkAnswers(search, itself);
  const bare: Subject = { name: 'node -e 0', args: ['-e', '0'] };
  const [baseline, took, least] = timeInTurn([itself, search, bare], ROUNDS);
  if (baseline === undefined || took === undefined || least === undefined) return [];
  const comparedRow = (what: string, key: keyof Timing, target: string): Row => {
    const over = `+ ${wholeMs(took[key] - baseline[key])}`;
    return {
      what,
      value: wholeMs(took[key]),
      baseline: wholeMs(baseline[key]),
      ratio: over,
      target,
    };
  };
  return [
    comparedRow(`svc memory search, ${name}`, 'medianMs', TARGET),
    comparedRow('the quickest of these', 'minMs', ''),
    {
      what: 'node -e 0, and the quickest',
      value: wholeMs(least.medianMs),
      baseline: wholeMs(least.minMs),
    },
  ];
}

/** Where svc lets the program keep an agent's files. */
function placesOf(folder: string): Readonly<Record<string, string>> {
  const config = join(folder, 'config');
  return {
    XDG_CONFIG_HOME: config,
    XDG_CACHE_HOME: join(folder, 'cache'),
    QMD_CONFIG_DIR: join(config, 'qmd'),
    NO_COLOR: '1',
  };
}

/** Builds the index and checks that both find the same file first: a failing program would be fast too. */
function checkAnswers(search: Subject, itself: Subject): void {
  const ask = ({ program: runs = process.execPath, args, env }: Subject): string =>
    execFileSync(runs, args, { encoding: 'utf8', env: { ...process.env, ...env } });
  ask(search);
  const answer = ask(search);
  const file = /"file": "qmd:\/\/memory-dir-main\/([^"]+)"/.exec(ask(itself))?.[1] ?? 'nothing';
  const isSame = answer.toLowerCase().includes(`memory/${file.toLowerCase()}`);
  if (!isSame || !answer.includes('"backend": "ext"')) {
    throw new Error(`not the program's answer, ${file}:\n${answer}`);
  }
}

const { into } = parseArgs({
  args: process.argv.slice(3),
  options: { into: { type: 'string' }, write: { type: 'boolean' } },
}).values;
main(into === undefined ? undefined : resolve(into));
