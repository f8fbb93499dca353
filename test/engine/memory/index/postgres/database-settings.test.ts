import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { preparePostgresIndex } from '../../../../../src/engine/memory/index/postgres/index.js';
import {
  exactDouble,
  missingVectorIndexes,
  type Server,
} from '../../../../../src/engine/postgres/index.js';
import { migratedDatabase, serverAt, startCluster } from '../../../../support/postgres.js';
import {
  apply,
  documentOf,
  embedMissing,
  testIdentity,
  textVector,
} from '../../../../support/vector-index.js';

// A superuser may create casts.
const postgres = await startCluster();

if (postgres !== undefined) {
  const test = suite('settings of a database');
  test.after(() => postgres.stop());

  /** A migrated server whose database has some defaults. */
  const serverWith = async (defaults: Readonly<Record<string, string>>) => {
    const url = await migratedDatabase(postgres);
    const setUp = serverAt(url, { poolSize: 1 });
    for (const [name, value] of Object.entries(defaults)) {
      await setUp.run(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${name} = ${value}`);
    }
    await setUp.close();
    return serverAt(url);
  };

  const newIndex = (server: Server) =>
    preparePostgresIndex(server, { agent: 'main', origin: 'here' }, testIdentity());

  test('times of files are what they were, even if the server rounds numbers in text', async () => {
    const server = await serverWith({ extra_float_digits: '-15' });
    const [rounded] = await server.query('SELECT 1764418029123.4568::float8 AS ms');
    assert.equal(rounded, { ms: 2e12 });
    const index = await newIndex(server);
    const fingerprint = { size: 1, mtimeMs: 1764418029123.4568, ctimeMs: 1764418029999.998 };
    const document = { ...documentOf('a.md', ['alpha']), fingerprint };
    await apply(index, { type: 'put', document });
    assert.equal((await index.documents())[0]?.fingerprint, fingerprint);
    const { mtimeMs } = fingerprint;
    assert.is((await index.lexicalCandidates('"alpha"', 1))[0]?.modifiedMs, mtimeMs);
    const newer = { document: ({ modifiedMs }: { modifiedMs: number }) => modifiedMs > mtimeMs };
    assert.equal(await index.lexicalCandidates('"alpha"', 1, newer), []);
    index.close();
    const times = [
      ...[0, -1, -0.5, -8.64e15, 8.64e15, 1e9 + 1 / 3, 2 ** 37 + 2 ** -15, 2 ** 40 - 2 ** -13],
      ...Array.from({ length: 500 }, () => Math.random() * 4e12),
    ];
    const read = await server.query<{ ms: number }>(
      `SELECT ${exactDouble('given')} AS ms FROM unnest($1::float8[]) AS given`,
      [times],
    );
    assert.equal(
      read.map(({ ms }) => ms),
      times,
    );
    await server.close();
  });

  test('what a document does not have stays away, even if the server reads no nulls in lists', async () => {
    const server = await serverWith({ array_nulls: 'off' });
    const index = await newIndex(server);
    await apply(index, { type: 'put', document: documentOf('a.md', ['alpha']) });
    const [found] = await index.lexicalCandidates('"alpha"', 1);
    assert.is(found?.text, 'alpha');
    assert.is(found?.mimeType, undefined);
    const [stored] = await index.documents();
    assert.ok(stored !== undefined && !('resume' in stored));
    index.close();
    await server.close();
  });

  // Widespread in databases that have been upgraded from PostgreSQL 8.2.
  test('vectors are found in a database that casts numbers to text on its own', async () => {
    const server = await serverWith({});
    for (const type of ['integer', 'bigint'])
      await server.run(`CREATE CAST (${type} AS text) WITH INOUT AS IMPLICIT`);
    const index = await newIndex(server);
    await apply(index, { type: 'put', document: documentOf('a.md', ['alpha']) });
    await embedMissing(index, 'fake:one', textVector);
    const [found] = await index.vectorCandidates('fake:one', textVector('alpha'), 1);
    assert.is(found?.path, 'a.md');
    assert.equal(await missingVectorIndexes(server), []);
    index.close();
    await server.close();
  });

  test.run();
}
