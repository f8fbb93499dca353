import { readFileSync, statSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type Connection,
  createDatabase,
  openDatabase,
} from '../../../src/engine/sqlite/database.js';
import {
  DURABLE_COMMITS,
  type FileFormat,
  formatVersion,
  openFormat,
} from '../../../src/engine/sqlite/format.js';
import { tempFolder } from '../../support/temp-folder.js';

const FIRST = 'CREATE TABLE notes (text TEXT)';
const SECOND = "INSERT INTO notes VALUES ('once')";

function format(...steps: readonly string[]): FileFormat {
  return {
    name: 'a file of notes',
    steps,
    applicationId: 7,
    pragmas: ['journal_mode = WAL'],
    refusals: { foreign: 'FLOWS_FOREIGN', newer: 'FLOWS_NEWER' },
  };
}

const test = suite<{ file: string }>('files of a format');

test.before.each((context) => {
  context.file = tempFolder().at('folder/some.sqlite');
});

function using<T>(database: Connection, use: (database: Connection) => T): T {
  try {
    return use(database);
  } finally {
    database.close();
  }
}

function texts(database: Connection): unknown[] {
  return database.prepare('SELECT text FROM notes').pluck().all();
}

function existing(file: string): Connection {
  return openDatabase(file, { readonly: false, busyTimeoutMs: 0 });
}

test('every migration step runs once, from any version', ({ file }) => {
  using(openFormat(file, format(FIRST), 0), (database) => {
    assert.is(formatVersion(database, format(FIRST)), 1);
  });
  for (let time = 0; time < 2; time++) {
    assert.equal(using(openFormat(file, format(FIRST, SECOND), 0), texts), ['once']);
  }
  assert.is(statSync(file).mode & 0o777, 0o600);
});

test('commits that must survive a power failure are synced through the cache of the disk on macOS', ({
  file,
}) => {
  const durable = { ...format(FIRST), pragmas: DURABLE_COMMITS };
  const number = (database: Connection, pragma: string) =>
    database.pragma(pragma, { simple: true });
  using(openFormat(file, durable, 0), (database) => {
    assert.equal([number(database, 'synchronous'), number(database, 'fullfsync')], [2, 1]);
  });
  using(existing(file), (database) => {
    assert.equal([number(database, 'fullfsync'), number(database, 'checkpoint_fullfsync')], [0, 1]);
  });
});

test('all steps are rolled back if one fails', ({ file }) => {
  const failing = format(FIRST, SECOND, 'INSERT INTO nowhere VALUES (1)');
  assert.throws(() => openFormat(file, failing, 0), /no such table: nowhere/);
  using(existing(file), (database) => {
    assert.is(formatVersion(database, failing), 0);
    assert.throws(() => texts(database), /no such table: notes/);
  });
});

test('a file of a newer svc, or of another program, is refused and left unchanged', ({ file }) => {
  using(openFormat(file, format(FIRST), 0), (database) => database.pragma('user_version = 9'));
  const other = `${file}.other`;
  using(createDatabase(other, 0), (database) => database.exec('CREATE TABLE mine (x)'));
  const before = [file, other].map((path) => readFileSync(path));
  assert.throws(() => openFormat(file, format(FIRST), 0), /newer svc wrote .* \(format 9,/);
  assert.throws(() => openFormat(other, format(FIRST), 0), /other is not a file of notes/);
  assert.equal(
    before,
    [file, other].map((path) => readFileSync(path)),
  );
});

test('a format without a mark refuses a file that has one, whatever its version', ({ file }) => {
  using(openFormat(file, format(FIRST, SECOND), 0), () => undefined);
  const { applicationId, ...unmarked } = format(FIRST);
  assert.throws(() => openFormat(file, unmarked, 0), /is not a file of notes/);
});

test('a file that another process creates meanwhile counts as new or as ours', ({ file }) => {
  using(openFormat(file, format(), 0), () => undefined);
  using(existing(file), (database) => {
    const disturbed: Connection = Object.create(database, {
      pragma: {
        value: (...words: Parameters<Connection['pragma']>) => {
          openFormat(file, format(FIRST), 0).close();
          return database.pragma(...words);
        },
      },
    });
    assert.is(formatVersion(disturbed, format(FIRST)), 0);
    assert.is(formatVersion(database, format(FIRST)), 1);
  });
});

test.run();
