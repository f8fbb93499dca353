import { symlinkSync } from 'node:fs';
import { join, sep } from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findFile } from '../../../../../src/engine/memory/backends/ext/find-file.js';
import { folderOf } from '../../../../support/temp-folder.js';

const test = suite('finding the file of an external result');

const world = folderOf({
  'outside/secret.md': 'secret',
  'root/MEMORY.md': 'm',
  'root/Trips and Ports/Field Notes v2.md': 't',
  'root/Trips and Ports/Süd_Küste.md': 's',
  'root/a___b.md': 'folders in a name',
  ['root/Größe.md'.normalize('NFD')]: 'decomposed, as on a Mac',
  'root/🎉 Party `x`.md': 'symbols',
  'root/~/--/deep.md': 'folders without letters',
  'root/same-name.md': 'dashed',
  'root/same name.md': 'spaced',
});
const root = world.at('root');
symlinkSync(world.at('outside'), world.at('root/link'));
symlinkSync(world.at('outside/secret.md'), world.at('root/secret.md'));

const any = (): boolean => true;

test('nothing outside the folder is ever given, whatever the path', () => {
  const segment = fc.oneof(
    fc.constantFrom('..', '.', '', 'link', 'secret.md', 'outside', 'root', '-', 'memory.md', '~'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 6 }), (segments) => {
      const found = findFile(root, segments.join('/'), any);
      assert.ok(found === undefined || found.startsWith(root + sep), found);
      assert.ok(found === undefined || !found.includes('secret'), found);
    }),
  );
});

test('paths are resolved in the form of each release', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['MEMORY.md', 'MEMORY.md'],
    ['memory.md', 'MEMORY.md'],
    ['Trips and Ports/Field Notes v2.md', 'Trips and Ports/Field Notes v2.md'],
    ['trips-and-ports/field-notes-v2.md', 'Trips and Ports/Field Notes v2.md'],
    ['Trips-and-Ports/Field-Notes-v2.md', 'Trips and Ports/Field Notes v2.md'],
    ['trips-and-ports/süd-küste.md', 'Trips and Ports/Süd_Küste.md'],
    ['a/b.md', 'a___b.md'],
    ['gro-ße.md', 'Größe.md'.normalize('NFD')],
    ['party-x.md', '🎉 Party `x`.md'],
    ['1f389-party-60x60.md', '🎉 Party `x`.md'],
    ['deep.md', '~/--/deep.md'],
  ];
  for (const [path, file] of cases) assert.is(findFile(root, path, any), join(root, file), path);
});

test('of files with the same written path the right one is chosen', () => {
  for (const name of ['same-name.md', 'same name.md']) {
    assert.is(
      findFile(root, 'same-name.md', (file) => file.endsWith(`${sep}${name}`)),
      join(root, name),
    );
  }
});

test('a changed file is still found; a deleted one is not', () => {
  assert.is(
    findFile(root, 'memory.md', () => false),
    world.at('root/MEMORY.md'),
  );
  assert.is(findFile(root, 'gone.md', any), undefined);
  assert.is(findFile(world.at('nowhere'), 'a.md', any), undefined);
});

test.run();
