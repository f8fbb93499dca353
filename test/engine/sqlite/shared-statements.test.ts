import Database from 'better-sqlite3';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keepNativeObjects } from '../../../src/engine/sqlite/keep-native-objects.js';

/** What a process on a Node.js does that must not collect native objects. */
const test = suite('shared statements');

const AFFECTED = '24.19.0';

/** Those of tests as well, whatever Node.js they are opened as on. */
const opened: Database.Database[] = [];

/** A database with three rows, and how many statements SQLite compiled for it since. */
function threeRows(nodeVersion: string): { db: Database.Database; compiled: () => number } {
  const db = new Database(':memory:');
  opened.push(db);
  db.exec("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, 'z')");
  const symbol = Object.getOwnPropertySymbols(db).find((key) => {
    const value: unknown = Reflect.get(db, key);
    return typeof value === 'object' && value !== null && 'prepare' in value;
  });
  assert.ok(symbol);
  const native: object = Reflect.get(db, symbol);
  const prepare: unknown = Reflect.get(native, 'prepare');
  assert.type(prepare, 'function');
  let compiled = 0;
  Reflect.set(native, 'prepare', (...args: unknown[]): unknown => {
    compiled += 1;
    return typeof prepare === 'function' ? Reflect.apply(prepare, native, args) : undefined;
  });
  keepNativeObjects(db, nodeVersion);
  return { db, compiled: () => compiled };
}

test('the same statement is compiled once, whatever is asked of it', () => {
  const { db, compiled } = threeRows(AFFECTED);
  const sql = 'SELECT a, b FROM t WHERE a >= ? ORDER BY a';
  const plain = db.prepare(sql);
  const raw = db.prepare(sql).raw();
  const plucked = db.prepare(sql).pluck();
  for (let round = 0; round < 3; round++) {
    assert.equal(raw.all(2), [
      [2, 'y'],
      [3, 'z'],
    ]);
    assert.equal(plain.get(3), { a: 3, b: 'z' });
    assert.equal(plucked.all(2), [2, 3]);
    assert.is(db.prepare(sql).get(9), undefined);
  }
  assert.is(compiled(), 1);
  assert.is(threeRows('22.1.0').compiled(), 0);
});

test('a statement that is being read can be used again, and rows left unread leave it usable', () => {
  const { db, compiled } = threeRows(AFFECTED);
  const sql = 'SELECT a FROM t ORDER BY a';
  const pairs: unknown[] = [];
  for (const outer of db.prepare(sql).pluck().iterate()) {
    for (const inner of db.prepare(sql).pluck().iterate()) {
      pairs.push([outer, inner]);
      if (inner === 2) break;
    }
  }
  assert.is(pairs.length, 6);
  assert.equal(db.prepare(sql).pluck().all(), [1, 2, 3]);
  assert.is(compiled(), 2);
});

test('writing, transactions, pragmas, columns and faulty SQL are as without it', () => {
  const { db, compiled } = threeRows(AFFECTED);
  const insert = db.prepare('INSERT INTO t VALUES (?, ?)');
  assert.is(insert.run(4, 'w').changes, 1);
  assert.throws(() =>
    db.transaction(() => {
      insert.run(5, 'v');
      throw new Error('no');
    })(),
  );
  assert.is(db.prepare('SELECT count(*) FROM t').pluck().get(), 4);
  const columns = db.prepare('SELECT a, b FROM t').columns();
  assert.equal(
    columns.map(({ name }) => name),
    ['a', 'b'],
  );
  assert.throws(() => db.prepare('SELEC 1'), /syntax error/);
  db.pragma('user_version = 7');
  assert.is(db.pragma('user_version', { simple: true }), 7);
  const before = compiled();
  for (let round = 0; round < 5; round++) db.transaction(() => insert.run(round, 'r'))();
  assert.is(compiled(), before);
});

test.run();
