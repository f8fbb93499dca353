import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { parsePath } from '../../../src/engine/config/config-path.js';
import { editJson } from '../../../src/engine/config/edit-json.js';
import { runSvc } from '../../../test/support/run-svc.js';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { Moments, must, type Victim } from '../victim.js';
import { runAndKill } from '../world.js';

/** Values in rotation, so that each edit changes the file. */
const EDITS: readonly (readonly [path: string, value: unknown])[] = [
  ['memory.citations', 'on'],
  ['memory.citations', 'off'],
  ['agents.defaults.memorySearch.query.maxResults', 9],
  ['agents.defaults.memorySearch.query.maxResults', undefined],
  ['memory.citations', 'auto'],
];

/** The file itself or its temporary file. */
const WRITING = /\.svc\.tmp$|^svc\.json$/u;

/** Not the default mode, to test that it is preserved. */
const MODE = 0o644;

/** `svc config set` and `unset` on a file with comments. */
export function editingVictim(): Victim {
  const moments = new Moments(WRITING);
  return {
    name: 'editing the configuration',
    killOnce: async (world, round) => {
      const { configFile } = world;
      const before = readFileSync(configFile, 'utf8');
      const [path, value] = EDITS[round % EDITS.length] ?? ['memory.citations', 'on'];
      const after = editJson(before, parsePath(path), value);
      const args = value === undefined ? ['unset', path] : ['set', path, String(value)];
      const run = await world.runAndKill(
        ['config', ...args, '--json'],
        moments.next(world.random, world.home.path),
      );
      const wasAtWork = moments.wasAtWork(run);
      const text = readFileSync(configFile, 'utf8');
      must(text === before || text === after, `the configuration is neither old nor new: ${text}`);
      if (run.code === 0) must(text === after, 'the edit was acknowledged but is missing');
      must((statSync(configFile).mode & 0o777) === MODE, 'the mode of the file has changed');
      return { wasAtWork };
    },
  };
}

/** `svc config set` without an existing file. */
export function newConfigVictim(): Victim {
  const moments = new Moments(WRITING);
  const home = tempFolder();
  const file = home.at('svc.json');
  return {
    name: 'a new configuration',
    killOnce: async (world) => {
      rmSync(file, { force: true });
      const args = ['config', 'set', 'memory.citations', 'on'];
      const run = await runAndKill(home.path, args, moments.next(world.random, home.path));
      if (existsSync(file)) {
        must(
          (statSync(file).mode & 0o777) === 0o600,
          'a new configuration is not for its owner alone',
        );
        const { code, stdout } = await runSvc(['config', 'get', 'memory.citations'], {
          home: home.path,
        });
        must(
          code === 0 && stdout.trim() === 'on',
          `unexpected value in a new configuration: ${stdout}`,
        );
      } else must(run.code !== 0, 'the edit was acknowledged but there is no file');
      return { wasAtWork: moments.wasAtWork(run) };
    },
  };
}

/** Sets the mode that has to be preserved. */
export function prepareConfig(configFile: string): void {
  writeFileSync(configFile, readFileSync(configFile), { mode: MODE });
}
