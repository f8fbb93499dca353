import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dreamWorkspace } from '../../../src/engine/dreaming/dream-workspace.js';
import {
  handWritten,
  promotedEntries,
} from '../../../src/engine/dreaming/promotion/memory-file.js';
import { openDreams } from '../../../src/engine/dreaming/store/dream-database.js';
import { askForClaim } from '../../claims.js';
import { Moments, must, type Victim } from '../victim.js';
import { HANDWRITTEN, type World } from '../world.js';

/** `svc dream run`, with claims to promote each time. */
export function dreamingVictim(): Victim {
  const moments = new Moments(/\.svc\.tmp$|MEMORY\.md|DREAMS\.md/u);
  const known = new Set<string>();
  return {
    name: 'dreaming',
    killOnce: async (world, round) => {
      for (let n = 0; n < 3; n++) known.add(askForClaim(world.home, round * 3 + n));
      const hashesBefore = world.handwrittenHashes();
      const run = await world.runAndKill(
        ['dream', 'run', '--json'],
        moments.next(world.random, world.home.path),
      );
      const wasAtWork = moments.wasAtWork(run);
      requireWhole(world, known);
      const next = await world.svc('dream', 'run', '--json');
      must(next.code === 0, `the next sweep failed: ${next.stdout}${next.stderr}`);
      requireWhole(world, known);
      requireDecided(world);
      return { wasAtWork, hashesBefore };
    },
  };
}

/** Every line of the file is handwritten or belongs to a complete entry. */
function requireWhole(world: World, known: ReadonlySet<string>): void {
  const text = readFileSync(world.home.at('workspace/MEMORY.md'), 'utf8');
  must(text.startsWith(HANDWRITTEN), 'handwritten text has changed');
  for (const entry of promotedEntries(text))
    must(known.has(entry.text), `unexpected entry "${entry.text}"`);
  const rest = handWritten(text)
    .slice(HANDWRITTEN.length)
    .replaceAll(/^## Promoted.*$/gmu, '')
    .trim();
  must(rest === '', `incomplete entry in the file: ${rest}`);
}

/** Entries in the file and in the archive are exactly the claims marked as promoted. */
function requireDecided(world: World): void {
  const text = readFileSync(world.home.at('workspace/MEMORY.md'), 'utf8');
  const archive = world.home.at('workspace/memory/archive');
  const texts = existsSync(archive)
    ? readdirSync(archive).map((name) => readFileSync(join(archive, name), 'utf8'))
    : [];
  const written = [text, ...texts].flatMap(promotedEntries).map(({ key }) => key);
  const dreams = openDreams(dreamWorkspace(world.workspace, { stateDir: world.home.path }));
  must(dreams !== undefined, 'the sweep is not recorded');
  const marked = dreams.entries.since(0).filter(({ fate }) => fate === 'promoted');
  const planned = dreams.sweeps.planned();
  dreams.close();
  const isMarked = new Set(marked.map(({ key }) => key));
  must(planned.length === 0, 'a planned change was not completed');
  must(new Set(written).size === written.length, 'an entry is in the files twice');
  must(
    written.every((key) => isMarked.has(key)),
    'an entry is in the files, and not marked',
  );
  must(written.length === marked.length, `${written.length} of ${marked.length} entries`);
}
