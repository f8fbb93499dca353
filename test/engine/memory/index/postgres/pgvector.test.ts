import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { missingVectorIndexes } from '../../../../../src/engine/postgres/index.js';
import { sharedKinds } from '../../../../support/indexes.js';
import { apply, embedMissing, putChange, textVector } from '../../../../support/vector-index.js';

const DIMENSIONS = 64;
/** More than are compared one by one. */
const CHUNKS = 1100;
const WANTED = 10;

const test = suite('a pgvector index');
const kinds = await sharedKinds();

test.after(async () => {
  for (const kind of kinds) await kind.stop();
});

for (const kind of kinds) {
  test(`finds what comparing all codes finds, on ${kind.name}`, async () => {
    const index = await kind.newIndex();
    const texts = Array.from({ length: CHUNKS }, (_, at) => `text ${at}`);
    await apply(index, putChange('a.md', ...texts));
    await embedMissing(index, 'm', (text) => textVector(text, DIMENSIONS));
    assert.equal(await missingVectorIndexes(kind.server, CHUNKS), []);
    const [available] = await kind.server.query(
      "SELECT 1 FROM pg_available_extensions WHERE name = 'vector'",
    );
    // Where it is not installed, nothing needs it.
    if (available === undefined) return;
    const queries = texts.slice(0, 12).map((text) => textVector(`${text} again`, DIMENSIONS));
    const findAll = async (): Promise<readonly (readonly number[])[]> => {
      const found: number[][] = [];
      for (const query of queries) {
        const candidates = await index.vectorCandidates('m', query, WANTED);
        found.push(candidates.map(({ chunkId }) => chunkId));
      }
      return found;
    };
    const expected = await findAll();
    // Not on any search path.
    await kind.server.run('CREATE SCHEMA elsewhere');
    await kind.server.run('CREATE EXTENSION vector SCHEMA elsewhere');
    assert.equal(await missingVectorIndexes(kind.server), []);
    const setVersion = (version: string) =>
      kind.server.run("UPDATE pg_extension SET extversion = $1 WHERE extname = 'vector'", [
        version,
      ]);
    await setVersion('0.7.4');
    assert.equal(await missingVectorIndexes(kind.server, CHUNKS), [], 'too old');
    // As on AlloyDB.
    await setVersion('0.8.0.google-3');
    const statements = await missingVectorIndexes(kind.server, CHUNKS);
    assert.is(statements.length, 1);
    for (const statement of statements) await kind.server.run(statement);
    assert.equal(await missingVectorIndexes(kind.server, CHUNKS), []);
    assert.ok((await index.vectorExtension()).loaded);
    const found = await findAll();
    const same = found.flatMap((ids, at) => ids.filter((id) => expected[at]?.includes(id)));
    assert.ok(same.length >= 0.9 * queries.length * WANTED, `${same.length}`);
    const [nearest] = await index.vectorCandidates('m', textVector('text 7', DIMENSIONS), 1);
    assert.is(nearest?.text, 'text 7');
    // One document's are compared among themselves.
    await apply(index, putChange('b.md', 'text 7'));
    await embedMissing(index, 'm', (text) => textVector(text, DIMENSIONS));
    const path = (name: string): boolean => name === 'b.md';
    const inB = await index.vectorCandidates('m', textVector('text 7', DIMENSIONS), 3, { path });
    assert.equal(
      inB.map((candidate) => candidate.path),
      ['b.md'],
    );
  });
}

test.run();
