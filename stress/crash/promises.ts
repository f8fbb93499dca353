import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { contentOf } from '../../test/support/index-content.js';
import { jsonOf } from '../../test/support/json.js';
import { NOTE_QUERIES } from '../../test/support/many-notes.js';
import { backendOn, targetOf } from '../../test/support/memory.js';
import { giveToOrdinary, ORDINARY_UID } from '../../test/support/ordinary-user.js';
import { ROOT, runSvc, type SvcRun } from '../../test/support/run-svc.js';
import type { TempFolder } from '../../test/support/temp-folder.js';
import { must } from './victim.js';
import type { World } from './world.js';

/** What is left after a kill. */
export interface Aftermath {
  readonly world: World;
  /** Hashes of what people had written before the kill. */
  readonly hashesBefore: ReadonlyMap<string, string>;
  /** A search that ran during the kill. */
  readonly reader: SvcRun;
  /** For copies of the world that a check may damage. */
  readonly scratch: TempFolder;
  /** The package folder of a program that any user can run. */
  readonly program: string;
}

/** A promise, worded as in docs/durability.md, and how it is checked. */
export interface CheckedPromise {
  readonly promise: string;
  /** Works on a copy, made before its first await, so it can run in parallel. */
  readonly copies?: true;
  readonly check: (aftermath: Aftermath) => Promise<void> | void;
}

const QUERY = 'amber cedar';

/**
 * Checked in this order after every kill: first what must be true at once, then what must be true after the
 * next run. A test compares the list with the page.
 */
export const PROMISES: readonly CheckedPromise[] = [
  {
    promise: 'Your Markdown never changes unless you ask for it.',
    check: ({ world, hashesBefore }) => {
      const now = world.handwrittenHashes();
      const paths = new Set([...now.keys(), ...hashesBefore.keys()]);
      const changed = [...paths].filter((path) => now.get(path) !== hashesBefore.get(path));
      must(changed.length === 0, `changed: ${changed.join(', ')}`);
    },
  },
  {
    promise: 'Readers and the writer never block each other.',
    check: ({ world, reader }) => {
      must(
        !/^ {2,}at /mu.test(reader.stderr),
        `stack trace in a search during the kill: ${reader.stderr}`,
      );
      // Without an index there is nothing to read.
      if (reader.code === 1) must(jsonOf.error(reader).code !== 'BUG', reader.stdout);
      else
        must(
          jsonOf.search(reader).results.length > 0 || !existsSync(world.indexFile()),
          'a search found nothing',
        );
    },
  },
  {
    promise: 'Search works without write permission.',
    check: ({ world, program }) => searchReadOnly(world, program),
  },
  {
    promise: 'A damaged index never causes a wrong answer or a stack trace.',
    copies: true,
    check: ({ world, scratch }) => searchDamaged(world, scratch),
  },
  {
    promise: 'A full disk loses nothing.',
    check: ({ world }) => indexWithoutRoom(world),
  },
  {
    promise: 'A killed run leaves nothing half done.',
    check: async ({ world }) => {
      requireAnswer(await world.svc('memory', 'search', QUERY, '--json'), 'the next search');
    },
  },
  {
    promise: 'One process at a time indexes files, and one embeds. There are no stale locks.',
    check: async ({ world }) => {
      const both = [1, 2].map(() => world.svc('memory', 'index', '--json'));
      for (const run of await Promise.all(both)) {
        must(run.code === 0, `the next run failed: ${run.stdout}${run.stderr}`);
      }
    },
  },
  {
    promise: 'What a run reports as done is in the index.',
    check: ({ world }) => requireFreshIndex(world),
  },
  {
    promise: 'An index can always be rebuilt.',
    check: async ({ world }) => {
      const fresh = targetOf(world.workspace, { layout: 'agent' });
      const backend = backendOn(fresh);
      await backend.sync({});
      await backend.close();
      const [ours, theirs] = [
        await contentOf(world.indexFile(), NOTE_QUERIES),
        await contentOf(fresh.indexFile, NOTE_QUERIES),
      ];
      must(isDeepStrictEqual(ours, theirs), 'the index differs from a fresh one');
      for (const ending of ['', '-wal', '-shm', '.lock'])
        rmSync(fresh.indexFile + ending, { force: true });
    },
  },
  {
    promise: 'A file that is not an index is never deleted.',
    copies: true,
    check: ({ world, scratch }) => indexOverForeign(world, scratch),
  },
  {
    promise: 'A configuration edit is applied completely or not at all.',
    check: async ({ world }) => {
      const run = await world.svc('config', 'validate');
      must(run.code === 0, `the configuration is not valid: ${run.stdout}${run.stderr}`);
      const text = readFileSync(world.configFile, 'utf8');
      for (const comment of [
        '// the memory of a test',
        '// any',
        '/* keyword search only */',
        '// as it comes',
      ])
        must(text.includes(comment), `the comment ${comment} is lost`);
    },
  },
  {
    promise: 'A new configuration file is readable only by you.',
    copies: true,
    check: async ({ scratch }) => {
      const file = scratch.at('new/svc.json');
      rmSync(scratch.at('new'), { recursive: true, force: true });
      scratch.write('new/.keep', '');
      await runSvc(['config', 'set', 'memory.citations', 'on'], { home: scratch.at('new') });
      must(
        (statSync(file).mode & 0o777) === 0o600,
        'a new configuration is readable by other users',
      );
    },
  },
];

/** Results without a warning, and no stack trace. */
function requireAnswer(run: SvcRun, what: string): void {
  must(run.code === 0, `${what} failed: ${run.stdout}${run.stderr}`);
  const { results, warnings } = jsonOf.search(run);
  must(results.length > 0, `${what} found nothing`);
  must((warnings ?? []).length === 0, `${what} warns: ${JSON.stringify(warnings)}`);
}

/** In place: an index is for one workspace, and a copy would have another. */
async function searchReadOnly(world: World, program: string): Promise<void> {
  if (!existsSync(world.indexFile())) return;
  const home = world.home.path;
  giveToOrdinary(home);
  spawnSync('chmod', ['-R', 'a-w', home]);
  const run = await runSvc(['memory', 'search', QUERY, '--json'], {
    home,
    uid: ORDINARY_UID,
    root: program,
  });
  spawnSync('chmod', ['-R', 'u+w', home]);
  spawnSync('chown', ['-R', String(process.getuid?.()), home]);
  must(run.code === 0, `a read-only search failed: ${run.stdout}${run.stderr}`);
  must(jsonOf.search(run).results.length > 0, 'a read-only search found nothing');
}

async function searchDamaged(world: World, scratch: TempFolder): Promise<void> {
  const home = copyOf(world, scratch, 'damaged');
  const file = join(home, 'memory/main.sqlite');
  if (!existsSync(file)) return;
  for (const ending of ['-wal', '-shm']) rmSync(file + ending, { force: true });
  const { size } = statSync(file);
  const damage = world.below(4);
  if (damage === 0) truncateSync(file, world.below(size));
  else if (damage === 1) overwrite(file, 0, world.below(100) + 1, world);
  else if (damage === 2) writeFileSync(file, '');
  else overwrite(file, world.below(size), 4096, world);
  const run = await runSvc(['memory', 'search', QUERY, '--json'], { home });
  must(!/^ {2,}at /mu.test(run.stderr), `stack trace with a damaged index: ${run.stderr}`);
  // Most damage is detected at once; a damaged page only when it is read.
  if (damage !== 3)
    must(
      run.code === 0 && jsonOf.search(run).results.length > 0,
      `damaged (${damage}): ${run.stdout}`,
    );
  else must(run.code === 0 || run.code === 1, `with a damaged page, it exited with ${run.code}`);
}

function overwrite(file: string, from: number, length: number, world: World): void {
  const bytes = readFileSync(file);
  for (let at = from; at < Math.min(bytes.length, from + length); at++)
    bytes[at] = world.below(256);
  writeFileSync(file, bytes);
}

const LOCK_BYTES = 16_384;

/** Simulates a full disk with a file size limit, which makes SQLite's writes fail in the same way. */
async function indexWithoutRoom(world: World): Promise<void> {
  if (!existsSync(world.indexFile())) return;
  const env = { PATH: process.env['PATH'] ?? '', HOME: world.home.path, SVC_HOME: world.home.path };
  // There is room for the lock, without which nothing can be tidied up after the process that was killed.
  const limit = Math.max(LOCK_BYTES, world.below(statSync(world.indexFile()).size));
  const args = [
    `--fsize=${limit}`,
    process.execPath,
    join(ROOT, 'bin/run.js'),
    'memory',
    'index',
    '--force',
    '--json',
  ];
  const run = spawnSync('prlimit', args, { cwd: world.home.path, env, encoding: 'utf8' });
  must(!/^ {2,}at /mu.test(run.stderr), `stack trace with a full disk: ${run.stderr}`);
  const built = readdirSync(world.home.at('memory')).filter((name) => name.includes('.build'));
  must(built.length === 0, `${built.join()} is left of a build with a full disk`);
  const [agent] = jsonOf.index({ ...run, code: run.status, signal: run.signal }).agents;
  must(agent !== undefined, `indexing with a full disk printed ${run.stdout}`);
  if ('error' in agent)
    must(agent.error.code.startsWith('INDEX_'), `${agent.error.code} with a full disk`);
}

async function requireFreshIndex(world: World): Promise<void> {
  const status = jsonOf.status(await world.svc('memory', 'status', '--json'));
  const stale = status.agents[0]?.staleness;
  const isFresh = JSON.stringify(Object.values(stale ?? {}).slice(0, 3)) === '[0,0,0]';
  must(isFresh, `indexed but stale: ${JSON.stringify(stale)}`);
}

async function indexOverForeign(world: World, scratch: TempFolder): Promise<void> {
  const home = copyOf(world, scratch, 'foreign');
  const file = join(home, 'memory/main.sqlite');
  rmSync(join(home, 'memory'), { recursive: true, force: true });
  const text = `a letter, not an index ${world.below(1e9)}`;
  scratch.write('foreign/memory/main.sqlite', text);
  const run = await runSvc(['memory', 'index', '--json'], { home });
  must(run.code === 0, `indexing over a letter failed: ${run.stdout}`);
  must(
    readFileSync(`${file}.replaced`, 'utf8') === text,
    'the letter in place of the index is lost',
  );
}

/** A copy of the world that a check may damage. */
function copyOf(world: World, scratch: TempFolder, name: string): string {
  const home = scratch.at(name);
  rmSync(home, { recursive: true, force: true });
  for (const part of ['svc.json', 'workspace', 'memory']) {
    if (existsSync(world.home.at(part)))
      cpSync(world.home.at(part), join(home, part), { recursive: true });
  }
  return home;
}
