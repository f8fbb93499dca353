import { rmSync } from 'node:fs';
import { Moments, type Victim } from '../victim.js';

/** `svc memory index`, with an existing index, without one, and with --force. */
export function indexingVictims(): readonly Victim[] {
  return (['changed', 'first', 'force'] as const).map((kind) => {
    const moments = new Moments();
    return {
      name: { changed: 'indexing changes', first: 'a first index', force: 'a rebuild' }[kind],
      killOnce: async (world) => {
        if (kind === 'first') {
          for (const ending of ['', '-wal', '-shm'])
            rmSync(world.indexFile() + ending, { force: true });
        }
        const args = ['memory', 'index', '--json', ...(kind === 'force' ? ['--force'] : [])];
        const run = await world.runAndKill(args, moments.next(world.random, world.home.path));
        const wasAtWork = moments.wasAtWork(run);
        return { wasAtWork };
      },
    };
  });
}
