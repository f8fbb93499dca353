import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { GroupCommit } from '../../../../../src/engine/flows/store/sqlite/group-commit.js';
import { openDatabaseBytes } from '../../../../../src/engine/sqlite/database.js';
import { waitFor } from '../../../../support/wait.js';

const test = suite('group commit');

test('a listener that throws is heard of, and keeps nobody else from committing', async () => {
  const database = openDatabaseBytes(Buffer.alloc(0));
  database.exec('CREATE TABLE t (a)');
  let told = 0;
  const commits = new GroupCommit({
    database,
    newWork: () => database,
    sync: async () => undefined,
    onCommitted: () => {
      told += 1;
      if (told === 1) throw new Error('the first listener');
    },
    isBusy: () => false,
    asError: (error) => error,
  });
  const stray: unknown[] = [];
  const onStray = (error: unknown): void => void stray.push(error);
  process.on('uncaughtException', onStray);
  const insert = (value: number) =>
    commits.run(async (db) => db.exec(`INSERT INTO t VALUES (${value})`));
  await insert(1);
  await waitFor('the exception', () => stray.length > 0);
  await insert(2);
  await commits.drained();
  process.off('uncaughtException', onStray);
  assert.match(String(stray[0]), 'the first listener');
  assert.equal([told, stray.length], [2, 1]);
  assert.is(database.prepare('SELECT count(*) FROM t').pluck().get(), 2);
  database.close();
});

test.run();
