/**
 * `npm run bench -- dreaming`: a sweep over 365 days, 5,000 notes and 50,000 recalled claims as a whole process,
 * compared with a loop that reads the same notes and stores the same recalls. Every claim is recent enough for
 * every phase. Measured once with a new log and once with nothing new.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dreamWorkspace } from '../src/engine/dreaming/dream-workspace.js';
import { queryHashOf } from '../src/engine/dreaming/recall-log/recalled-claims.js';
import { peakMemory, type Subject, timeInTurn } from './measure.js';
import { removeDatabase } from './remove-database.js';
import { report } from './report.js';
import type { Row } from './table.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'bin/run.js');
const rawLoop = join(root, 'bench/raw-dream-loop.mjs');

const DAYS = 365;
const NOTES = 5000;
const RECALLS = 50_000;
const CLAIMS_A_NOTE = RECALLS / NOTES;
const DAY_MS = 86_400_000;
const ROUNDS = 3;
const ASKS = 6;
const TARGET_TIME = '10 s';
const TARGET_MEMORY = '200 MiB';

function main(): void {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'svc-bench-dreaming-')));
  try {
    const fresh = join(dir, 'fresh');
    const log = makeHome(fresh);
    const swept = join(dir, 'swept');
    const raw: Subject = {
      name: 'raw loop',
      args: [rawLoop, join(fresh, 'ws'), log, join(dir, 'raw.sqlite')],
      before: () => removeDatabase(join(dir, 'raw.sqlite')),
    };
    // The notes stay in place, because state is keyed by the path of the workspace.
    const first = sweepOf('a sweep, 50,000 new searches', fresh, join(dir, 'state'), () => {
      rmSync(join(dir, 'state'), { recursive: true, force: true });
      cpSync(join(fresh, 'state'), join(dir, 'state'), { recursive: true });
      clean(fresh);
    });
    checkSweep(first);
    cpSync(join(dir, 'state'), swept, { recursive: true });
    const second = sweepOf('a sweep, nothing new', fresh, swept, () => undefined);
    const subjects = [raw, first, second];
    const [baseline, ...timings] = timeInTurn(subjects, ROUNDS);
    const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
    const least = baseline?.medianMs ?? Number.NaN;
    const rows = timings.map(({ medianMs }, at): Row => {
      const name = subjects[at + 1]?.name ?? '';
      const ratio = `${(medianMs / least).toFixed(2)} ×`;
      return {
        what: name,
        value: seconds(medianMs),
        baseline: seconds(least),
        ratio,
        target: TARGET_TIME,
      };
    });
    first.before?.();
    const memory = `${peakMemory(first).toFixed(0)} MiB`;
    raw.before?.();
    const rawMemory = `${peakMemory(raw).toFixed(0)} MiB`;
    rows.push({
      what: 'peak memory of the first',
      value: memory,
      baseline: rawMemory,
      target: TARGET_MEMORY,
    });
    report(
      'dreaming',
      `\`svc dream run\`, ${DAYS} days, ${NOTES} notes, ${RECALLS} recalled claims`,
      rows,
    );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Files that earlier sweeps wrote to the workspace. */
function clean(home: string): void {
  for (const name of ['MEMORY.md', 'DREAMS.md', 'memory/dreaming']) {
    rmSync(join(home, 'ws', name), { recursive: true, force: true });
  }
}

const SYSTEMS = ['billing', 'search', 'payroll', 'mail', 'storage', 'login', 'invoice', 'shipping'];
const PLACES = ['Lisbon', 'Graz', 'Turku', 'Ghent', 'Porto', 'Brno', 'Malmö'];

/** A year of notes, and a log with one recall of each claim. @returns the log */
function makeHome(home: string): string {
  const dir = join(home, 'ws');
  const now = Date.now();
  const log: string[] = [];
  for (let note = 0; note < NOTES; note++) {
    const day = new Date(now - (note % DAYS) * DAY_MS).toISOString().slice(0, 10);
    const path = `memory/project-${Math.floor(note / DAYS)}/${day}.md`;
    const claims = Array.from({ length: CLAIMS_A_NOTE }, (_, n) =>
      claimOf(note * CLAIMS_A_NOTE + n),
    );
    const text = `# ${day}\n\n${claims.map((claim) => `- ${claim}\n`).join('')}- [ ] write it down\n`;
    mkdirSync(join(dir, path, '..'), { recursive: true });
    writeFileSync(join(dir, path), text);
    for (const [at, claim] of claims.entries()) {
      // A few are recalled repeatedly, so that there is something to promote.
      const asks = at === 0 && note % DAYS === 0 ? ASKS : 1;
      const place = { source: 'memory', path, startLine: at + 3, endLine: at + 3 } as const;
      for (let ask = 0; ask < asks; ask++) {
        log.push(
          `${JSON.stringify({
            atMs: now - ((note % DAYS) + ask) * DAY_MS,
            queryHash: queryHashOf(`question ${log.length % 900}`),
            claims: [{ text: claim, ...place, score: 0.9 }],
          })}\n`,
        );
      }
    }
  }
  const phases = {
    light: { lookbackDays: DAYS },
    rem: { lookbackDays: DAYS },
    deep: { maxAgeDays: DAYS + 1 },
  };
  const config = {
    agents: { defaults: { workspace: dir, memorySearch: { provider: 'none' } } },
    plugins: { entries: { 'memory-core': { config: { dreaming: { phases } } } } },
  };
  writeFileSync(join(home, 'svc.json'), JSON.stringify(config));
  const { recallLog } = dreamWorkspace(dir, { stateDir: join(home, 'state') }).files;
  mkdirSync(join(recallLog, '..'), { recursive: true });
  writeFileSync(recallLog, log.join(''));
  return recallLog;
}

function claimOf(number: number): string {
  const system = SYSTEMS[number % SYSTEMS.length];
  const place = PLACES[number % PLACES.length];
  return `The ${system} server ${number} stands in ${place}, rack ${number % 97}, and is looked after by team ${number % 13}.`;
}

function sweepOf(name: string, home: string, state: string, before: () => void): Subject {
  return {
    name,
    args: [program, 'dream', 'run', '--json', '--config', join(home, 'svc.json')],
    env: { SVC_HOME: state },
    before,
  };
}

/** Checks that something is promoted: a sweep without results would be fast too. */
function checkSweep({ args, env, before }: Subject): void {
  before?.();
  const options = {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    maxBuffer: 1 << 28,
  } as const;
  const { sweeps } = JSON.parse(execFileSync(process.execPath, args, options));
  const { searches, decisions } = sweeps[0];
  if (searches < RECALLS || decisions.length === 0) {
    throw new Error(
      `the sweep read ${searches} searches and decided on ${decisions.length} claims`,
    );
  }
}

main();
