/**
 * `npm run bench -- filters [--write]`: the cost of each search filter, compared with the same query without one,
 * for a common word in 100,000 passages; and how long the broadest queries block the event loop.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMemory } from '../src/engine/memory/index.js';
import type { SearchRequest } from '../src/engine/memory/search/types.js';
import { resolveStatePaths } from '../src/engine/support/context.js';
import { median } from './measure.js';
import { openingsOf, questionsOf, wordsOf, writeNotes } from './notes-corpus.js';
import { markdownTable, plainTable, takenOn, writeSection } from './page-tables.js';
import { report } from './report.js';
import type { Row } from './table.js';

const CORPUS_BYTES = 95e6;
const ROUNDS = 5;

const PHRASES = wordsOf(9).map((word, at, words) => `"${word} ${words[at + 1]}"`);

const BROAD: Readonly<Record<string, string>> = {
  'a common word': wordsOf(1).join(' '),
  '64 common words': wordsOf(64).join(' '),
  'the beginning of common words': `${openingsOf(2)[0]}*`,
  'beginnings of a letter, all of them': openingsOf(1)
    .map((letter) => `${letter}*`)
    .join(' '),
  'beginnings of four letters, 196 of them': openingsOf(4)
    .map((letters) => `${letters}*`)
    .join(' '),
  'eight phrases of common words': PHRASES.slice(0, 8).join(' '),
  'the same, left out': `${questionsOf(1)[0]} -${PHRASES.slice(0, 8).join(' -')}`,
  'a sign': '→',
};

/** MCP's `corpus` is another name for `source`. */
const FILTERS: Readonly<Record<string, Partial<SearchRequest>>> = {
  'no filter': {},
  'path, everything (`*.md`)': { pathGlob: '*.md' },
  'path, one folder of 124': { pathGlob: 'part-1/**' },
  'path, 35 folders of 124': { pathGlob: 'part-1*/**' },
  'path, nothing': { pathGlob: 'none/**' },
  'path, made to be slow': { pathGlob: `${'*a'.repeat(100)}b` },
  'source and corpus, memory': { sources: ['memory'] },
  'source and corpus, sessions': { sources: ['sessions'] },
};

async function main(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-bench-filters-'));
  const env = { SVC_HOME: join(dir, 'home') };
  const state = resolveStatePaths(env, dir);
  const notes = join(dir, 'notes');
  writeNotes(notes, CORPUS_BYTES);
  const world = { env, cwd: dir, homeDir: dir, state, clock: { now: Date.now } };
  const { backend } = await openMemory(world, { kind: 'workspace', dir: notes });
  try {
    const { chunks } = await backend.sync({});
    const query = questionsOf(1)[0] ?? '';
    const rows: Row[] = [];
    let baseline = Number.NaN;
    for (const [name, filter] of Object.entries(FILTERS)) {
      const times: number[] = [];
      for (let round = 0; round <= ROUNDS; round++) {
        const { searchMs } = await backend.search({ query, lexicalOnly: true, ...filter });
        if (round > 0) times.push(searchMs);
      }
      const took = median(times);
      if (Number.isNaN(baseline)) baseline = took;
      const ms = (value: number): string => `${value.toFixed(0)} ms`;
      rows.push({
        what: name,
        value: ms(took),
        baseline: ms(baseline),
        ratio: `${(took / baseline).toFixed(2)} ×`,
        target: '2.00 ×',
      });
    }
    report('filters', `${chunks} passages`, rows);
    const pauses = [['query', 'longest pause', 'whole search']];
    for (const [name, broad] of Object.entries(BROAD)) {
      const measured: SearchTimes[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const ask = (): Promise<unknown> => backend.search({ query: broad, lexicalOnly: true });
        measured.push(await pauseOf(ask));
      }
      const pause = median(measured.map(({ pauseMs }) => pauseMs));
      const all = median(measured.map(({ allMs }) => allMs));
      pauses.push([name, `${pause.toFixed(0)} ms`, `${all.toFixed(0)} ms`]);
    }
    console.log(`\n${plainTable(pauses)}`);
    const caption = `${chunks} passages. ${takenOn()}.`;
    if (process.argv.includes('--write')) {
      writeSection('broad', `${caption}\n\n${markdownTable(pauses)}`);
    }
  } finally {
    await backend.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** CPU time, which other processes do not affect. */
interface SearchTimes {
  /** The longest time that the event loop is blocked. */
  readonly pauseMs: number;
  readonly allMs: number;
}

async function pauseOf(work: () => Promise<unknown>): Promise<SearchTimes> {
  const start = process.cpuUsage();
  let last = start;
  let pauseMs = 0;
  let isOver = false;
  const turn = (): void => {
    pauseMs = Math.max(pauseMs, msSince(last));
    last = process.cpuUsage();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  return { pauseMs: Math.max(pauseMs, msSince(last)), allMs: msSince(start) };
}

function msSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

await main();
