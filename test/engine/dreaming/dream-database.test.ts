import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openDreamDatabase } from '../../../src/engine/dreaming/store/dream-database.js';
import { tempFolder } from '../../support/temp-folder.js';

test('programs that cannot read records of the archive refuse the database', () => {
  const database = openDreamDatabase(tempFolder().at('dreams.sqlite'));
  // They know version 1.
  assert.ok(Number(database.pragma('user_version', { simple: true })) > 1);
  database.close();
});

test('a database of a newer program is refused and left alone', () => {
  const file = tempFolder().at('dreams.sqlite');
  const newer = openDreamDatabase(file);
  newer.pragma('user_version = 99');
  newer.close();
  assert.throws(() => openDreamDatabase(file), /a newer svc wrote .*format 99/);
});

test.run();
