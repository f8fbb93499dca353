import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Connection, Driver } from '../../../src/engine/sqlite/connection.js';
import {
  closeWriter,
  databaseFault,
  openBetterSqlite,
  replaceContent,
} from '../../../src/engine/sqlite/database.js';
import { findNodeDriver } from '../../../src/engine/sqlite/node-driver.js';
import { fillDisk, freeDisk, smallDisk } from '../../support/small-disk.js';
import { tempFolder, withTemporaryFolder } from '../../support/temp-folder.js';

const disk = smallDisk(1);

/** What both drivers promise, as far as they are there: Node's own needs Node.js 22.16. */
const drivers = [betterSqliteIfBuilt(), findNodeDriver()].flatMap((driver) => driver ?? []);
assert.ok(drivers.length > 0);
for (const driver of drivers) promises(driver);

function betterSqliteIfBuilt(): Driver | undefined {
  try {
    return openBetterSqlite();
  } catch {
    return undefined;
  }
}

function promises({ name, connect }: Driver): void {
  const test = suite<{ file: string; database: Connection }>(name);

  test.before.each((context) => {
    context.file = tempFolder().at('some.sqlite');
    context.database = connect(context.file, { timeout: 0 });
    context.database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, value)');
  });
  test.after.each(({ database }) => {
    database.close();
  });

  test('returns values as they were stored, blobs as buffers', ({ database }) => {
    const values = [1, -1.5, 2 ** 40, 'text', Buffer.from([0, 255]), null];
    const insert = database.prepare('INSERT INTO t (value) VALUES (?)');
    for (const value of values) insert.run(value);
    insert.run(undefined);
    const read = database.prepare('SELECT value FROM t ORDER BY id').pluck().all();
    assert.equal(read, [...values, null]);
    assert.ok(Buffer.isBuffer(read[4]));
    insert.run(new Uint8Array(new Float32Array([0.5]).buffer));
    const last = database.prepare('SELECT value FROM t ORDER BY id DESC').pluck().get();
    assert.ok(Buffer.isBuffer(last) && last.readFloatLE() === 0.5);
  });

  test('rounds whole numbers that are too large to be exact', ({ database }) => {
    const sql = 'SELECT 9223372036854775807 UNION ALL SELECT -9007199254740993';
    const rounded = [2 ** 63, -(2 ** 53)];
    const numbers = database.prepare(sql).pluck();
    assert.equal(numbers.all(), rounded);
    assert.equal([...numbers.iterate()], rounded);
    const { changes } = database.prepare('INSERT INTO t VALUES (9223372036854775807, 1)').run();
    assert.is(changes, 1);
  });

  test('stores empty bytes as such, not as null', ({ database }) => {
    const empty = Buffer.from(new Float64Array(0).buffer);
    const get = (sql: string, value: unknown) => database.prepare(sql).pluck().get(value);
    assert.is(get('SELECT typeof(?)', empty), 'blob');
    assert.is(get('SELECT typeof(@a)', { a: empty }), 'blob');
    assert.equal(get('SELECT ?', empty), empty);
  });

  test('accepts values by position, as an array, and by name', ({ database }) => {
    assert.equal(database.prepare('SELECT ? AS a, ? AS b').get(1, 2), { a: 1, b: 2 });
    assert.equal(database.prepare('SELECT ? AS a, ? AS b').get([1, 2]), { a: 1, b: 2 });
    const named = database.prepare('SELECT @a AS a, @b AS b');
    assert.equal(named.get({ a: 1, b: undefined, other: 3 }), { a: 1, b: null });
    assert.equal(database.prepare('SELECT @a AS a, ? AS b').get({ a: 1 }, 2), { a: 1, b: 2 });
    assert.throws(() => database.prepare('SELECT ?').get(1, 2));
  });

  test('checkpoints the log of a writer while others read', ({ file, database }) => {
    database.pragma('journal_mode = WAL');
    const reader = connect(file, { readonly: true, timeout: 0 });
    reader.prepare('SELECT count(*) FROM t').get();
    const writer = connect(file, { timeout: 0 });
    writer.exec("INSERT INTO t VALUES (1, 'written')");
    closeWriter(writer);
    assert.throws(() => writer.exec('SELECT 1'), /not open/u);
    const copy = tempFolder().at('without-its-log.sqlite');
    writeFileSync(copy, readFileSync(file));
    const withoutLog = connect(copy, { timeout: 0 });
    assert.is(withoutLog.prepare('SELECT value FROM t').pluck().get(), 'written');
    withoutLog.close();
    reader.close();
  });

  test('shapes rows as objects, arrays and single values', ({ database }) => {
    database.exec("INSERT INTO t VALUES (1, 'a'), (2, 'b')");
    const all = database.prepare('SELECT * FROM t ORDER BY id');
    const rows = [
      { id: 1, value: 'a' },
      { id: 2, value: 'b' },
    ];
    assert.equal(all.all(), rows);
    assert.equal([...all.iterate()], rows);
    assert.is(Object.getPrototypeOf(all.get()), Object.prototype);
    assert.equal(
      all.columns().map((column) => column.name),
      ['id', 'value'],
    );
    assert.equal(all.raw().all(), [
      [1, 'a'],
      [2, 'b'],
    ]);
    assert.equal(all.pluck().all(), [1, 2]);
    assert.is(database.prepare('SELECT 1 WHERE 0').get(), undefined);
  });

  test('a loop over rows can end early, and the statement be used again', ({ file, database }) => {
    database.exec('INSERT INTO t VALUES (1, 1), (2, 2)');
    const ids = database.prepare('SELECT id FROM t ORDER BY id').pluck();
    for (const id of ids.iterate()) {
      assert.is(id, 1);
      break;
    }
    // Rows that are still being read would keep others from writing.
    const other = connect(file, { timeout: 0 });
    other.exec('UPDATE t SET value = 3');
    other.close();
    assert.equal([...ids.iterate()], [1, 2]);
    assert.equal(ids.all(), [1, 2]);
  });

  test('rows can be read with a statement that is being read', ({ database }) => {
    database.exec('INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)');
    const sql = 'SELECT id FROM t ORDER BY id';
    const pairs: unknown[] = [];
    for (const outer of database.prepare(sql).pluck().iterate()) {
      for (const inner of database.prepare(sql).pluck().iterate()) {
        pairs.push([outer, inner]);
        if (inner === 2) break;
      }
    }
    assert.is(pairs.length, 6);
    assert.equal(database.prepare(sql).pluck().all(), [1, 2, 3]);
    assert.throws(() => database.prepare('SELEC 1'), /syntax error/);
  });

  test('counts changes, and names the row that was added', ({ database }) => {
    const { changes, lastInsertRowid } = database.prepare('INSERT INTO t VALUES (7, 1)').run();
    assert.equal([changes, Number(lastInsertRowid)], [1, 7]);
    assert.is(database.prepare('DELETE FROM t').run().changes, 1);
  });

  test('a transaction commits, or rolls back if it throws; a nested one is a savepoint', ({
    database,
  }) => {
    const add = (id: number): void => void database.prepare('INSERT INTO t VALUES (?, 0)').run(id);
    const fails = database.transaction(() => {
      add(2);
      throw new Error('no');
    });
    const outer = database.transaction(() => {
      add(1);
      assert.ok(database.inTransaction);
      assert.throws(fails, /^no$/);
      return 'done';
    });
    assert.is(outer.immediate(), 'done');
    assert.throws(fails, /^no$/);
    assert.throws(() => fails.immediate(), /^no$/);
    assert.not(database.inTransaction);
    assert.equal(database.prepare('SELECT id FROM t').pluck().all(), [1]);
  });

  test('a transaction that SQLite has ended itself throws why', ({ database }) => {
    const add = (): unknown => database.exec('INSERT OR ROLLBACK INTO t VALUES (1, 1)');
    const twice = database.transaction(() => {
      add();
      add();
    });
    assert.match(codeOf(twice), /^SQLITE_CONSTRAINT/);
    assert.equal(database.prepare('SELECT * FROM t').all(), []);
  });

  test('a second writer gets a "busy" error after its time to wait', ({ file, database }) => {
    const patient = connect(file, { timeout: 1234 });
    assert.is(patient.pragma('busy_timeout', { simple: true }), 1234);
    patient.close();
    const other = connect(file, { fileMustExist: true, timeout: 0 });
    database.exec('BEGIN IMMEDIATE');
    const error = caught(() => other.exec('BEGIN IMMEDIATE'));
    assert.is(databaseFault(error), 'busy');
    other.close();
    other.close();
  });

  test('reports errors by their code', ({ file, database }) => {
    assert.is(
      codeOf(() => database.exec('nonsense')),
      'SQLITE_ERROR',
    );
    assert.is(databaseFault(caught(() => database.prepare('SELECT * FROM none'))), 'corrupt');
    database.exec('INSERT INTO t VALUES (1, 1)');
    const twice = codeOf(() => database.prepare('INSERT INTO t VALUES (1, 1)').run());
    assert.match(twice, /^SQLITE_CONSTRAINT/);
    const readonly = connect(file, { readonly: true, fileMustExist: true });
    assert.is(databaseFault(caught(() => readonly.exec('DELETE FROM t'))), 'unwritable');
    readonly.close();
    database.pragma('max_page_count = 2');
    const big = Buffer.alloc(100_000);
    const full = caught(() => database.prepare('INSERT INTO t (value) VALUES (?)').run(big));
    assert.is(databaseFault(full), 'disk_full');
  });

  (disk === undefined ? test.skip : test)('knows a full disk by the index of a log', () => {
    const file = `${disk}/${name.replace(':', '-')}.sqlite`;
    const writer = connect(file, { timeout: 0 });
    writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (value)');
    writer.close();
    fillDisk(disk ?? '', 0);
    const reader = connect(file, { fileMustExist: true, timeout: 0 });
    assert.is(databaseFault(caught(() => reader.pragma('schema_version'))), 'disk_full');
    reader.close();
    freeDisk(disk ?? '');
  });

  test('does not create a file that must exist, and recognises files that are not databases', ({
    file,
  }) => {
    const missing = `${file}.missing`;
    for (const readonly of [false, true]) {
      const error = caught(() => connect(missing, { readonly, fileMustExist: true }));
      assert.is(databaseFault(error), 'unwritable');
      assert.not(existsSync(missing));
    }
    const text = `${file}.txt`;
    writeFileSync(
      text,
      'no database, but long enough to have a header of one hundred bytes'.repeat(9),
    );
    const open = (): unknown => connect(text, { fileMustExist: true }).pragma('user_version');
    assert.is(databaseFault(caught(open)), 'corrupt');
  });

  test('opens a path with characters that are special in a URL', () => {
    const file = tempFolder().at('50% of #1?mode=ro.sqlite');
    connect(file, {}).exec('CREATE TABLE t (a)');
    assert.ok(existsSync(file));
    connect(file, { fileMustExist: true }).exec('INSERT INTO t VALUES (1)');
    const read = connect(file, { fileMustExist: true, readonly: true });
    assert.is(read.prepare('SELECT a FROM t').pluck().get(), 1);
    assert.is(read.name, file);
  });

  test('reads bytes without the file they are from, and leaves none', async ({
    file,
    database,
  }) => {
    database.exec('INSERT INTO t VALUES (1, 1)');
    const bytes = readFileSync(file);
    const temporary = tempFolder();
    const copy = await withTemporaryFolder(temporary.path, () => connect(bytes, {}));
    assert.equal(readdirSync(temporary.path), []);
    database.exec('INSERT INTO t VALUES (2, 2)');
    assert.equal(copy.prepare('SELECT id FROM t').pluck().all(), [1]);
    const empty = connect(Buffer.alloc(0), {});
    assert.is(empty.pragma('user_version', { simple: true }), 0);
  });

  test('reads and sets pragmas', ({ database }) => {
    database.pragma('user_version = 3');
    assert.is(database.pragma('user_version', { simple: true }), 3);
    assert.equal(database.pragma('user_version'), [{ user_version: 3 }]);
    assert.is(database.pragma('journal_mode = WAL', { simple: true }), 'wal');
    assert.is(database.pragma('foreign_keys', { simple: true }), 1);
  });

  test('has full-text search and calls functions', ({ database }) => {
    database.function('twice', { deterministic: true }, (value) => Number(value) * 2);
    assert.is(database.prepare('SELECT twice(21)').pluck().get(), 42);
    database.exec(`CREATE VIRTUAL TABLE f USING fts5 (text, tokenize = 'trigram');
      INSERT INTO f VALUES ('nightly backup')`);
    const sql = "SELECT bm25(f) < 0 FROM f WHERE f MATCH 'backup'";
    assert.is(database.prepare(sql).pluck().get(), 1);
  });

  test('copies a database into an open one, which sees it with its next statement', async ({
    file,
    database,
  }) => {
    const target = connect(`${file}.target`, { timeout: 0 });
    database.exec('INSERT INTO t VALUES (5, 5)');
    await replaceContent(target, database);
    assert.is(target.prepare('SELECT id FROM t').pluck().get(), 5);
    target.close();
  });

  test('copies nothing into a database that another connection keeps writing, and says so after a while', async ({
    file,
    database,
  }) => {
    const other = `${file}.other`;
    const [target, writer] = [connect(other, { timeout: 50 }), connect(other, { timeout: 0 })];
    writer.exec('PRAGMA journal_mode = WAL; BEGIN IMMEDIATE');
    const startedMs = performance.now();
    const error = await replaceContent(target, database).catch((thrown: unknown) => thrown);
    assert.is(databaseFault(error), 'busy');
    assert.ok(performance.now() - startedMs >= 40, 'it waited');
    // As if the writer had begun a moment later.
    const { totalPages } = await database.backup(other, { progress: () => 100 });
    assert.is(totalPages, 0);
    writer.exec('COMMIT');
    await replaceContent(target, database);
    assert.is(target.prepare('SELECT count(*) FROM t').pluck().get(), 0);
    for (const connection of [target, writer]) connection.close();
  });

  test.run();
}

function caught(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return assert.unreachable('it did not throw');
}

function codeOf(work: () => unknown): string {
  const error = caught(work);
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
