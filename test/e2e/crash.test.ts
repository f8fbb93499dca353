import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { seededRandom } from '../../src/engine/eval/random.js';
import { contentOf } from '../support/index-content.js';
import { jsonOf } from '../support/json.js';
import { NOTE_QUERIES, noteText, writeNotes } from '../support/many-notes.js';
import { backendOn, targetOf } from '../support/memory.js';
import { runSvc, startSvc } from '../support/run-svc.js';
import { tempFolder } from '../support/temp-folder.js';

const test = suite('SIGKILL while indexing');

/** How many runs are killed: 12 by default, more with `SVC_CRASH_ROUNDS=100`. */
const ROUNDS = Number(process.env['SVC_CRASH_ROUNDS'] ?? 12);
const SEED = Number(process.env['SVC_CRASH_SEED'] ?? Date.now() % 1_000_000);

const random = seededRandom(SEED);
const upTo = (end: number): number => Math.floor(random() * end);

const home = tempFolder().path;
const notes = tempFolder();
writeNotes(notes, 250);

const svc = (...args: string[]) => ['memory', ...args, '-w', notes.path];

/** Changes, adds, removes and renames some files. */
function editNotes(round: number): void {
  const files = readdirSync(notes.path, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  const some = (): string => files[upTo(files.length)] ?? '';
  for (let n = 0; n < 60; n++) notes.write(some(), noteText(round * 1000 + n));
  for (let n = 0; n < 10; n++) notes.write(`new/${round}-${n}.md`, noteText(round * 77 + n));
  for (let n = 0; n < 5; n++) rmSync(notes.at(some()), { force: true });
  const path = some();
  if (existsSync(notes.at(path))) renameSync(notes.at(path), notes.at(`moved-${round}.md`));
}

type Kind = 'force' | 'incremental' | 'initial';

async function runAndKill(kind: Kind, indexFile: string, afterMs: number): Promise<boolean> {
  if (kind === 'initial') {
    for (const suffix of ['', '-wal', '-shm']) rmSync(indexFile + suffix, { force: true });
  }
  const run = startSvc(svc('index', ...(kind === 'force' ? ['--force'] : [])), { home });
  await sleep(afterMs);
  run.child.kill('SIGKILL');
  return (await run.done).signal === 'SIGKILL';
}

/** How long a run of each kind takes here, so that kills are spread over its whole time. */
async function durations(indexFile: string): Promise<Record<Kind, number>> {
  const timed = async (...args: string[]): Promise<number> => {
    const started = performance.now();
    const { code } = await runSvc(svc('index', ...args), { home });
    assert.is(code, 0);
    return performance.now() - started;
  };
  const force = await timed('--force');
  rmSync(indexFile);
  const initial = await timed();
  editNotes(999_999);
  return { force, initial, incremental: await timed() };
}

test(`after each of ${ROUNDS} kills (seed ${SEED}) the next run gives what a fresh index gives`, async () => {
  await runSvc(svc('index'), { home });
  const status = await runSvc(svc('status', '--json'), { home });
  const indexFile = jsonOf.status(status).agents[0]?.indexFile ?? '';
  const lengths = await durations(indexFile);
  let killed = 0;
  for (let round = 0; killed < ROUNDS; round++) {
    assert.ok(round < ROUNDS * 4, `only ${killed} runs were still at work when killed`);
    const kind = (['incremental', 'force', 'initial'] as const)[round % 3] ?? 'force';
    editNotes(round);
    const afterMs = random() * lengths[kind];
    if (await runAndKill(kind, indexFile, afterMs)) killed += 1;
    else lengths[kind] = afterMs;
    const what = `round ${round}: ${kind}, killed after ${afterMs.toFixed(1)} ms, seed ${SEED}`;
    // Whatever the crash left, it can be searched at once …
    const search = await runSvc(svc('search', 'amber', '--json'), { home });
    assert.ok(jsonOf.search(search).results.length > 0, what);
    assert.equal(jsonOf.search(search).warnings, [], what);
    // … and is then exactly what it would have been without.
    const next = await runSvc(svc('index', '--json'), { home });
    assert.is(next.code, 0, what + next.stdout);
    const fresh = targetOf(notes.path);
    await backendOn(fresh).sync({});
    assert.equal(
      await contentOf(indexFile, NOTE_QUERIES),
      await contentOf(fresh.indexFile, NOTE_QUERIES),
      what,
    );
    assert.equal(
      readdirSync(`${home}/memory`).filter(
        (name) => !/\.sqlite(-wal|-shm|(\.vectors)?\.lock)?$/.test(name),
      ),
      [],
      what,
    );
  }
});

test.run();
