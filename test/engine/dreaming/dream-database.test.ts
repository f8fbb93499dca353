import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openDreamDatabase } from '../../../src/engine/dreaming/store/dream-database.js';
import { versionOf } from '../../../src/engine/sqlite/database.js';
import { tempFolder } from '../../support/temp-folder.js';

test('programs that cannot read records of the archive refuse the database', () => {
  const database = openDreamDatabase(tempFolder().at('dreams.sqlite'));
  // They know version 1.
  assert.ok(versionOf(database) > 1);
  database.close();
});

test('a database of a newer program is refused and left alone', () => {
  const file = tempFolder().at('dreams.sqlite');
  const newer = openDreamDatabase(file);
  newer.pragma('user_version = 99');
  newer.close();
  assert.throws(() => openDreamDatabase(file), /was written by a newer version of svc/);
});

test.run();
