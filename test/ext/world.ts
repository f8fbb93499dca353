import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod/mini';
import type { searchOutputSchema } from '../../src/engine/memory/search/output-schemas.js';
import { jsonOf } from '../support/json.js';
import { runSvc, type SvcRun } from '../support/run-svc.js';
import { folderOf, type TempFolder } from '../support/temp-folder.js';
import { placesIn, type StartedRelease } from './releases.js';

/** A home with two agents that search through one release of the external tool. */
export interface World {
  readonly home: TempFolder;
  /** The version that is tried. */
  readonly release: string;
  /** Runs the built program. */
  svc(...args: readonly string[]): Promise<SvcRun>;
  /** A search by words; of `main` unless the arguments say otherwise. */
  search(query: string, ...args: readonly string[]): Promise<z.infer<typeof searchOutputSchema>>;
  /** What it runs with: `PATH` finds the interpreters. */
  readonly env: Readonly<Record<string, string>>;
  /** Every file of the person's own use of the tool, with what it holds. */
  ownFiles(): Readonly<Record<string, string>>;
  /** The same before anything was done. */
  readonly ownBefore: Readonly<Record<string, string>>;
}

const NOTES: Readonly<Record<string, string>> = {
  'main/MEMORY.md': '# Memory\n\nThe spare key hangs behind the paint shelf.\n',
  'main/memory/2026-11-01.md':
    '# First of November\n\nA long day.\n\n## Harbour\n\nThe ferry leaves at nine.\n\nMooring costs forty.\n',
  'main/memory/Trips and Ports/Field Notes v2.md':
    'Anchored off Birch Island.\n\nThe walrus was friendly.\n',
  'main/memory/Süd_Küste.md': '# Südküste\n\nÜber die Brücke, dann links.\n',
  'main/memory/goes.md': '# Goes\n\nThe quokka is only here for a while.\n',
  'bob/MEMORY.md': '# Bob\n\nThe spare trumpet is under the bed.\n',
  'handbook/Rules.md': '# Rules\n\nNobody feeds the pelican.\n',
  'handbook/draft.txt': 'A pelican in another kind of file.\n',
  'theirs/recipes.md': '# Bread\n\nTwo hundred grams of rye.\n',
};

/** Two agents, a collection for both, and a use of the tool that is the person's own. */
export function makeWorld(release: string, { command, env }: StartedRelease): World {
  const home = folderOf(NOTES);
  const own = {
    HOME: home.path,
    XDG_CONFIG_HOME: home.at('.config'),
    XDG_CACHE_HOME: home.at('.cache'),
  };
  const config = {
    agents: {
      defaults: { memorySearch: { provider: 'none' } },
      list: [
        { id: 'main', default: true, workspace: 'main' },
        { id: 'bob', workspace: 'bob' },
      ],
    },
    memory: {
      backend: 'ext',
      ext: {
        command,
        paths: [{ name: 'handbook', path: home.at('handbook'), pattern: '**/*.md' }],
        limits: { timeoutMs: 30_000 },
      },
    },
  };
  home.write('svc.json', JSON.stringify(config));
  const added = spawnSync(command, ['collection', 'add', home.at('theirs'), '--name', 'recipes'], {
    env: {
      ...env,
      ...placesIn(home.at('elsewhere')),
      ...own,
      QMD_CONFIG_DIR: home.at('.config/qmd'),
    },
    encoding: 'utf8',
  });
  if (added.status !== 0) throw new Error(`the tool does not start: ${added.stderr}`);
  const svcEnv = { ...env, ...own };
  const svc: World['svc'] = (...args) => runSvc(args, { home: home.path, env: svcEnv });
  const ownFiles: World['ownFiles'] = () => ({
    ...filesBelow(home.at('.config')),
    ...filesBelow(home.at('.cache/qmd')),
    ...filesBelow(home.at('theirs')),
  });
  return {
    home,
    release,
    svc,
    env: svcEnv,
    search: async (query, ...args) =>
      jsonOf.search(await svc('memory', 'search', query, '--json', ...args)),
    ownFiles,
    ownBefore: ownFiles(),
  };
}

function filesBelow(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
  return Object.fromEntries(files.map((path) => [path, readFileSync(path, 'latin1')]));
}
