import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type Connection,
  createDatabase,
  migrate,
  versionOf,
} from '../../../src/engine/sqlite/database.js';

import { tempFolder } from '../../support/temp-folder.js';

const FIRST = 'CREATE TABLE notes (text TEXT)';
const SECOND = "INSERT INTO notes VALUES ('once')";
const anyVersion = (): void => undefined;

const test = suite<{ database: Connection }>('bringing a database to a version');

test.before.each((context) => {
  context.database = createDatabase(tempFolder().at('some.sqlite'), 0);
});

test.after.each(({ database }) => {
  database.close();
});

function texts(database: Connection): unknown[] {
  return database.prepare('SELECT text FROM notes').pluck().all();
}

test('does every step once, whatever the version is', ({ database }) => {
  migrate(database, { steps: [FIRST], check: anyVersion });
  assert.is(versionOf(database), 1);
  for (let time = 0; time < 2; time++) {
    migrate(database, { steps: [FIRST, SECOND], check: anyVersion, applicationId: 7 });
  }
  assert.equal(texts(database), ['once']);
  assert.is(database.pragma('application_id', { simple: true }), 7);
});

test('takes all steps back when one fails', ({ database }) => {
  const steps = [FIRST, SECOND, 'INSERT INTO nowhere VALUES (1)'];
  assert.throws(() => migrate(database, { steps, check: anyVersion }), /no such table: nowhere/);
  assert.is(versionOf(database), 0);
  assert.throws(() => texts(database), /no such table: notes/);
});

test('leaves a file that is refused as it is', ({ database }) => {
  database.pragma('user_version = 9');
  const check = (version: number): void => {
    if (version > 1) throw new Error(`version ${version} is of a newer program`);
  };
  assert.throws(() => migrate(database, { steps: [FIRST], check }), /version 9/);
  assert.is(versionOf(database), 9);
  assert.throws(() => texts(database), /no such table: notes/);
});

test.run();
