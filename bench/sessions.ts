/**
 * `npm run bench -- sessions [--large]`: indexes transcripts as a whole process, compared with a loop that
 * parses and stores the same lines; compares peak memory with that for a sixteenth of the data; then measures
 * the cost of one more message. Uses 64 MB of transcripts, or 1 GB with `--large`, which needs 3 GB of temporary
 * space for some minutes.
 */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { backendOn } from '../test/support/memory.js';
import { message, transcriptPlace, transcriptTarget } from '../test/support/transcripts.js';
import { median, peakMemory, type Subject, timeInTurn } from './measure.js';
import { removeDatabase } from './remove-database.js';
import { report } from './report.js';
import type { Row } from './table.js';
import { writeTranscripts } from './transcript-corpus.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'bin/run.js');
const rawLoop = join(root, 'bench/raw-transcript-loop.mjs');

const NORMAL_BYTES = 64e6;
const LARGE_BYTES = 1e9;
/** Memory is constant if this many times the data takes no more of it. */
const SHARE = 16;
const ROUNDS = 3;
const APPENDS = 41;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { large: { type: 'boolean', default: false }, write: { type: 'boolean' } },
    allowPositionals: true,
  });
  const bytes = values.large ? LARGE_BYTES : NORMAL_BYTES;
  const dir = mkdtempSync(join(tmpdir(), 'svc-bench-sessions-'));
  try {
    const whole = homeOf(join(dir, 'whole'), bytes);
    const part = homeOf(join(dir, 'part'), bytes / SHARE);
    const rows = [...measureIndexing(whole, part, values.large ? 1 : ROUNDS, dir)];
    rows.push(...(await measureAppending(whole)));
    report('sessions', `${whole.files} transcripts, ${(whole.bytes / 1e6).toFixed(0)} MB`, rows);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

interface Home {
  readonly dir: string;
  readonly sessions: string;
  readonly files: number;
  readonly bytes: number;
}

/** A state folder with transcripts and a configuration that indexes them. */
function homeOf(dir: string, bytes: number): Home {
  const sessions = join(dir, 'agents/main/sessions');
  mkdirSync(join(dir, 'workspace'), { recursive: true });
  const memorySearch = {
    provider: 'none',
    sources: ['memory', 'sessions'],
    experimental: { sessionMemory: true },
  };
  writeFileSync(join(dir, 'svc.json'), JSON.stringify({ agents: { defaults: { memorySearch } } }));
  return { dir, sessions, ...writeTranscripts(sessions, bytes) };
}

function measureIndexing(whole: Home, part: Home, rounds: number, dir: string): Row[] {
  const raw: Subject = {
    name: 'raw loop',
    args: [rawLoop, whole.sessions, join(dir, 'raw.sqlite')],
    before: () => removeDatabase(join(dir, 'raw.sqlite')),
  };
  const [baseline, index] = timeInTurn([raw, indexing(whole)], rounds);
  if (baseline === undefined || index === undefined) return [];
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  const small = peakMemory(prepared(part));
  const large = peakMemory(prepared(whole));
  const mib = (value: number): string => `${value.toFixed(0)} MiB`;
  return [
    {
      what: 'svc memory index, all transcripts',
      value: seconds(index.medianMs),
      baseline: seconds(baseline.medianMs),
      ratio: `${(index.medianMs / baseline.medianMs).toFixed(2)} ×`,
    },
    {
      what: `its peak memory; baseline: a ${SHARE}th of the data`,
      value: mib(large),
      baseline: mib(small),
      ratio: `${(large / small).toFixed(2)} ×`,
      target: 'flat',
    },
  ];
}

function indexing(home: Home): Subject {
  return {
    name: 'svc memory index',
    args: [program, 'memory', 'index', '--json'],
    env: { SVC_HOME: home.dir, SVC_CONFIG: join(home.dir, 'svc.json') },
    before: () => rmSync(join(home.dir, 'memory'), { recursive: true, force: true }),
  };
}

/** For runs that are not timed. */
function prepared(home: Home): Subject {
  const subject = indexing(home);
  subject.before?.();
  return subject;
}

/** Adds a message to the largest transcript, then syncs and searches. */
async function measureAppending(home: Home): Promise<Row[]> {
  const target = transcriptTarget(join(home.dir, 'workspace'), [transcriptPlace(home.sessions)], {
    indexFile: join(home.dir, 'memory/main.sqlite'),
    layout: 'agent',
  });
  const backend = backendOn(target);
  const file = join(home.sessions, 'largest.jsonl');
  const syncs: number[] = [];
  const baselines: number[] = [];
  await backend.sync({});
  for (let n = 0; n < APPENDS; n++) {
    appendFileSync(file, message('user', `remark number ${n} on the heliotrope`));
    const before = statSync(file).size;
    const started = performance.now();
    await backend.sync({});
    syncs.push(performance.now() - started);
    if (statSync(file).size !== before) throw new Error('somebody else writes');
    const unchanged = performance.now();
    await backend.sync({});
    baselines.push(performance.now() - unchanged);
  }
  const { results } = await backend.search({ query: `heliotrope ${APPENDS - 1}` });
  if (results.length === 0) throw new Error('what was appended is not found');
  await backend.close();
  const ms = (value: number): string => `${value.toFixed(1)} ms`;
  return [
    {
      what: 'one message more, sync; baseline: nothing new',
      value: ms(median(syncs)),
      baseline: ms(median(baselines)),
      ratio: `${(median(syncs) / median(baselines)).toFixed(2)} ×`,
      target: '50 ms',
    },
  ];
}

await main();
