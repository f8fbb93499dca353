/** The rows of `npm run bench -- postgres` about commands as whole processes, in 16 MB of notes. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildCorpus } from './corpus.js';
import { median, type Subject, timeInTurn } from './measure.js';
import { type Row, timeRow } from './table.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CORPUS_BYTES = 16e6;
const INDEX_ROUNDS = 3;
const ROUNDS = 15;
const QUESTION = 'how do I install the package';

/** Indexing and searching, next to SQLite. @param url a server with the tables of svc */
export function benchCommands(url: string): readonly Row[] {
  const dir = mkdtempSync(join(tmpdir(), 'svc-bench-postgres-'));
  try {
    buildCorpus(join(dir, 'notes', 'memory'), join(ROOT, 'node_modules'), CORPUS_BYTES);
    const firsts = Array.from({ length: INDEX_ROUNDS }, (_, round) => {
      const worlds = [worldIn(dir, `sqlite-${round}`), worldIn(dir, `shared-${round}`, url)];
      return timeInTurnOnce(worlds.map((world) => world('memory', 'index')));
    });
    const at = (place: number): number => median(firsts.map((times) => times[place] ?? Number.NaN));
    const [sqlite, shared] = [worldIn(dir, 'sqlite-0'), worldIn(dir, 'shared-0', url)];
    const [search, sharedSearch, sync, sharedSync] = timeInTurn(
      [
        ...[sqlite('memory', 'search', QUESTION), shared('memory', 'search', QUESTION)],
        ...[sqlite('memory', 'index'), shared('memory', 'index')],
      ],
      ROUNDS,
    ).map(({ medianMs }) => medianMs);
    return [
      timeRow('first index of 16 MB', at(1), at(0), '6.00 ×'),
      timeRow('search, whole process', sharedSearch, search, '+ 40 ms'),
      timeRow('index, nothing changed, whole process', sharedSync, sync, '+ 40 ms'),
    ];
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** A host with the notes, on its own or with a memory on a server. */
function worldIn(dir: string, name: string, url?: string): (...args: string[]) => Subject {
  const home = join(dir, name);
  const config = join(home, 'svc.json');
  mkdirSync(home, { recursive: true });
  const memorySearch = { provider: 'none' };
  const agents = { defaults: { workspace: join(dir, 'notes'), memorySearch } };
  const storage = url === undefined ? {} : { storage: { url, origin: name } };
  writeFileSync(config, JSON.stringify({ agents, ...storage }), { mode: 0o600 });
  return (...args) => ({
    name: `${name}: svc ${args.join(' ')}`,
    args: [join(ROOT, 'bin/run.js'), ...args, '--config', config],
    env: { SVC_HOME: join(home, 'home') },
  });
}

/** The first run is what counts. */
function timeInTurnOnce(subjects: readonly Subject[]): readonly number[] {
  return subjects.map((subject) => {
    const started = performance.now();
    timeInTurn([subject], 0);
    return performance.now() - started;
  });
}
