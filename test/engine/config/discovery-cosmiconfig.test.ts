import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cosmiconfigSync } from 'cosmiconfig';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { discoverConfig } from '../../../src/engine/config/discovery.js';
import { resolveStatePaths } from '../../../src/engine/support/context.js';
import { tempFolder } from '../../support/temp-folder.js';

/*
 * Discovery is our own walk, because cosmiconfig runs `.config/config.cjs` of the current folder as
 * code (docs/architecture.md). What it finds must still be what cosmiconfig would find.
 */
const test = suite('discovery compared with cosmiconfig');

const folders = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 5 });

test('the nearest svc.json upward is the one that cosmiconfig finds', () => {
  fc.assert(
    fc.property(folders, fc.array(fc.nat(5), { maxLength: 4 }), (path, depths) => {
      const root = realpathSync(tempFolder().path);
      const cwd = join(root, ...path);
      mkdirSync(cwd, { recursive: true });
      for (const depth of depths) {
        const folder = join(root, ...path.slice(0, depth));
        writeFileSync(join(folder, 'svc.json'), '{}');
      }
      const explorer = cosmiconfigSync('svc', {
        searchPlaces: ['svc.json'],
        searchStrategy: 'global',
        stopDir: dirname(root),
        cache: false,
      });
      const expected = explorer.search(cwd)?.filepath;
      const env = { SVC_HOME: join(root, 'home') };
      const state = resolveStatePaths(env, root);
      const clock = { now: () => 0 };
      const found = discoverConfig({ env, cwd, homeDir: root, state, clock }, undefined);
      assert.is(found.file, expected);
    }),
    { numRuns: 60 },
  );
});

test.run();
