import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonOf } from '../../../test/support/json.js';
import { runSvc } from '../../../test/support/run-svc.js';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { Moments, must, type Victim } from '../victim.js';
import { runAndKill } from '../world.js';

/** `svc memory forget`, in a separate home: forgotten text must not be in a fresh index either. */
export function forgettingVictim(): Victim {
  const moments = new Moments(/\.svc\.tmp$|forgotten|sqlite-wal$/u);
  const home = tempFolder();
  home.write('svc.json', '{"agents":{"defaults":{"memorySearch":{"provider":"none"}}}}');
  home.write('workspace/MEMORY.md', '# House\n\nThe roof is new.\n');
  const svc = (...args: string[]) => runSvc(['memory', ...args], { home: home.path });
  return {
    name: 'forgetting',
    killOnce: async (world, round) => {
      const word = `zanzibar${round}`;
      home.write(
        `workspace/memory/r${round}.md`,
        `# Door\n\nThe code ${word} opens the door.\n\nThe bell rings.\n`,
      );
      must((await svc('index')).code === 0, 'indexing failed');
      const args = ['memory', 'forget', `memory/r${round}.md#L3`, '--yes', '--json'];
      const run = await runAndKill(home.path, args, moments.next(world.random, home.path));
      const wasAtWork = moments.wasAtWork(run);
      const { entries } = jsonOf.forgetList(await svc('forget', '--list', '--json'));
      const isListed = entries.some((entry) => JSON.stringify(entry).includes(`r${round}.md`));
      if (run.code === 0) must(isListed, 'forgetting was acknowledged but is not on the list');
      must((await svc('index')).code === 0, 'indexing failed');
      const holders = filesWith(home.path, word);
      if (isListed) must(holders.length === 0, `forgotten text is in ${holders.join()}`);
      else must(holders.length > 0, 'it is gone but not on the list');
      return { wasAtWork };
    },
  };
}

/** State files that contain a text, except notes and backups. */
function filesWith(home: string, text: string): readonly string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('/workspace'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text));
}
