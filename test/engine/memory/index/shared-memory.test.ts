import { createHash } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { JOB_KEPT_MS } from '../../../../src/engine/embeddings/index.js';
import type { SvcError } from '../../../../src/engine/errors/index.js';
import type { LexicalCandidate } from '../../../../src/engine/memory/index/candidates.js';
import type { Change, IndexedDocument } from '../../../../src/engine/memory/index/documents.js';
import {
  listOrigins,
  openPostgresIndex,
  otherDocuments,
  type PostgresIndex,
  preparePostgresIndex,
} from '../../../../src/engine/memory/index/postgres/index.js';
import { LONGEST_PATH } from '../../../../src/engine/memory/sources/memory-files.js';
import { READ_AGAIN_MS } from '../../../../src/engine/memory/types.js';
import type { Server, Transaction } from '../../../../src/engine/postgres/index.js';
import { errorOf, failureOf } from '../../../support/failure.js';
import { sharedKinds } from '../../../support/indexes.js';
import {
  apply,
  documentOf,
  embedMissing,
  putChange,
  removeChange,
  testIdentity,
  textVector,
} from '../../../support/vector-index.js';
import { waitFor } from '../../../support/wait.js';

/** How many statements wait for a lock in the database, which is not that of other tests. */
async function waitingFor(server: Server): Promise<number> {
  const waiting = await server.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return waiting.length;
}

function shown(found: readonly LexicalCandidate[]): string[] {
  return found.map(({ origin, path, text }) => `${origin ?? ''}:${path} ${text}`);
}

for (const kind of await sharedKinds()) {
  const test = suite(`a memory of several hosts on ${kind.name}`);

  test.after(() => kind.stop());

  const bothHosts = async (): Promise<readonly [PostgresIndex, PostgresIndex]> => {
    return [await kind.newIndex(), await kind.openAs('host-b')];
  };

  test('a host finds documents of others and changes only its own', async () => {
    const [a, b] = await bothHosts();
    await apply(a, putChange('a.md', 'alpha one'), putChange('same.md', 'alpha of a'));
    await apply(b, putChange('b.md', 'alpha two'), putChange('same.md', 'alpha of b'));
    const expected = [
      ':a.md alpha one',
      'host-b:b.md alpha two',
      ':same.md alpha of a',
      'host-b:same.md alpha of b',
    ];
    assert.equal(shown(await a.lexicalCandidates('"alpha"', 9)), expected);
    await apply(b, removeChange('a.md'), removeChange('same.md'));
    assert.equal(
      (await b.documents()).map(({ path }) => path),
      ['b.md'],
    );
    assert.equal(shown(await b.lexicalCandidates('"alpha"', 9)), [
      ...['host-a:a.md alpha one', ':b.md alpha two', 'host-a:same.md alpha of a'],
    ]);
    assert.equal((await a.termStatistics(['"alpha"', '"two"'])).frequencies, [3, 1]);
    assert.is((await a.statistics()).documents, 3);
  });

  test('the longest path that is indexed fits', async () => {
    const index = await kind.newIndex();
    // Without repetitions, which the server would compress.
    const bytes = createHash('shake256', { outputLength: LONGEST_PATH }).digest();
    const path = bytes.toString('base64url').slice(0, LONGEST_PATH);
    await apply(index, putChange(path, 'alpha'));
    assert.equal(shown(await index.lexicalCandidates('"alpha"', 9)), [`:${path} alpha`]);
  });

  test('a passage that several hosts have is found once, preferably on the searching host', async () => {
    const [a, b] = await bothHosts();
    const c = await kind.openAs('host-c');
    await apply(a, putChange('x.md', 'shared words'));
    await apply(
      b,
      putChange('x.md', 'shared words'),
      putChange('y.md', 'shared words', 'shared words'),
    );
    await apply(c, putChange('own.md', 'other'));
    assert.equal(shown(await a.lexicalCandidates('"shared"', 9)), [':x.md shared words']);
    assert.equal(shown(await b.lexicalCandidates('"shared"', 9)), [
      ...[':x.md shared words', ':y.md shared words', ':y.md shared words'],
    ]);
    assert.equal(shown(await c.lexicalCandidates('"shared"', 9)), ['host-a:x.md shared words']);
    assert.equal(shown(await c.literalCandidates('shared', 9)), ['host-a:x.md shared words']);
    await embedMissing(c, 'm', textVector);
    const near = await c.vectorCandidates('m', textVector('shared words'), 9);
    assert.equal(
      near.map(({ origin, path }) => [origin, path]),
      [
        ['host-a', 'x.md'],
        [undefined, 'own.md'],
      ],
    );
  });

  test('a filtered search reads what the filter keeps once, and the vectors of little else', async () => {
    const [a, b] = await bothHosts();
    const textsOf = (name: string, count: number): readonly string[] =>
      Array.from({ length: count }, (_, at) => `${name} ${at}`);
    await apply(a, putChange('most.md', ...textsOf('most', 3300)));
    await apply(b, putChange('some.md', ...textsOf('some', 1050)));
    const vectorOf = (text: string): Float32Array => textVector(text, 64);
    await embedMissing(a, 'm', vectorOf);
    const read: object[] = [];
    const query = kind.server.query.bind(kind.server);
    kind.server.query = async <Row extends object>(...asked: Parameters<typeof query>) => {
      const rows = await query<Row>(...asked);
      read.push(...rows);
      return rows;
    };
    const only = 'most 7';
    const chunk = ({ text }: { readonly text: string }): boolean => text === only;
    const view = await a.view();
    const filter = { document: () => 'by-chunk' as const, chunk, contains: only };
    assert.is((await view.lexicalCandidates('"most"', 9, filter)).length, 1);
    assert.is(await view.countMatches('"most"', filter), 1);
    const near = await view.vectorCandidates('m', vectorOf('most 8'), 9, filter);
    Reflect.deleteProperty(kind.server, 'query');
    assert.equal(
      near.map(({ text }) => text),
      [only],
    );
    assert.is(read.filter((row) => 'vector' in row).length, 1);
    const filtered = read.flatMap((row) => ('first' in row && 'id' in row ? [row.id] : []));
    assert.ok(filtered.length > 0);
    assert.is(filtered.length, new Set(filtered).size);
    for (const [path, text] of [
      ['most.md', 'most 9'],
      ['some.md', 'some 9'],
    ] as const) {
      const found = await a.vectorCandidates('m', vectorOf(text), 2, {
        path: (one) => one === path,
      });
      assert.is(found[0]?.text, text);
      assert.is(found[1]?.path, path);
      // What is nearest is not kept.
      const other = path === 'most.md' ? 'some.md' : 'most.md';
      const far = await a.vectorCandidates('m', vectorOf(text), 2, {
        path: (one) => one === other,
      });
      assert.equal(
        far.map((one) => one.path),
        [other, other],
      );
    }
  });

  test('the lines that dreaming wrote are those of the host that has the document', async () => {
    const [a, b] = await bothHosts();
    const promoted = [{ line: 4, from: { path: 'memory/b.md', startLine: 2, endLine: 3 } }];
    await apply(a, putChange('x.md', 'one'));
    const document = { ...documentOf('x.md', ['one']), facts: { promoted } };
    await apply(b, { type: 'put', document });
    const key = { source: 'memory', path: 'x.md' } as const;
    assert.equal(await b.promotedLines(key), promoted);
    assert.equal(await a.promotedLines(key), []);
    assert.equal(await a.promotedLines({ ...key, origin: 'host-b' }), promoted);
  });

  test('the team pays for a text once', async () => {
    const [a, b] = await bothHosts();
    await apply(a, putChange('a.md', 'one', 'two'));
    await apply(b, putChange('b.md', 'two', 'three'));
    const first = await a.missingEmbeddings('m', 0, 2);
    const second = await b.missingEmbeddings('m', 0, 9);
    assert.equal(
      [first, second].map((page) => page.map(({ text }) => text)),
      [['one', 'two'], ['three']],
    );
    assert.equal(await b.missingEmbeddings('m', 0, 9), second);
    await a.putEmbeddings('m', [
      { hash: first[0]?.hash ?? Buffer.alloc(0), vectors: [textVector('one')] },
    ]);
    await a.refuseEmbeddings('m', [
      { hash: first[1]?.hash ?? Buffer.alloc(0), why: 'no', isMedia: false },
    ]);
    assert.is(await b.countMissingEmbeddings('m'), 1);
    // A host that stopped without a word.
    await kind.server.run(
      "UPDATE svc.embedding_claims SET expires_at = clock_timestamp() - interval '1 s'",
    );
    assert.is(await embedMissing(a, 'm', textVector), 1);
    assert.is(await b.countMissingEmbeddings('m'), 0);
    await apply(b, putChange('c.md', 'one'));
    assert.is(await b.countMissingEmbeddings('m'), 0);
  });

  test('a picture that the provider refused is reported on its host only', async () => {
    const [a, b] = await bothHosts();
    for (const [host, hash] of [
      [a, 'aa'],
      [b, 'bb'],
    ] as const) {
      const picture = documentOf('logo.png', ['Image file: logo.png']);
      const document = { ...picture, hash, kind: 'media', mimeType: 'image/png' } as const;
      await apply(host, { type: 'put', document });
    }
    const [missing] = await a.missingMedia('m', 0, 9);
    const refusal = { hash: missing?.hash ?? Buffer.alloc(0), why: 'too large', isMedia: true };
    await a.refuseEmbeddings('m', [refusal]);
    assert.equal(await a.refusedMedia(), [
      { identity: 'm', path: 'logo.png', mimeType: 'image/png', why: 'too large' },
    ]);
    assert.equal(await b.refusedMedia(), []);
  });

  test('texts that wait for a job of a provider stay with their host', async () => {
    const [a, b] = await bothHosts();
    await apply(a, putChange('a.md', 'one'));
    assert.is((await a.missingEmbeddings('m', 0, 9)).length, 1);
    await a.saveBatchJob({ id: 'job', identity: 'm', json: '{}', createdMs: Date.now() });
    await kind.server.run(
      "UPDATE svc.embedding_claims SET expires_at = clock_timestamp() - interval '1 s'",
    );
    assert.equal(await b.missingEmbeddings('m', 0, 9), []);
    await b.tidyEmbeddings({ keepIdentities: ['m'], cacheEntries: 9, atMs: 1 });
    assert.equal(await b.missingEmbeddings('m', 0, 9), []);
    assert.equal(await b.batchJobs('m'), []);
    await a.removeBatchJob('job');
    assert.is((await b.missingEmbeddings('m', 0, 9)).length, 1);
  });

  test('a host that never collects its job keeps its texts for as long as a job is kept', async () => {
    const [a, b] = await bothHosts();
    await apply(a, putChange('a.md', 'one'));
    assert.is((await a.missingEmbeddings('m', 0, 9)).length, 1);
    await kind.server.run(
      "UPDATE svc.embedding_claims SET expires_at = clock_timestamp() - interval '1 s'",
    );
    const job = { id: 'job', identity: 'm', json: '{}' };
    await a.saveBatchJob({ ...job, createdMs: Date.now() - JOB_KEPT_MS + 3_600_000 });
    assert.equal(await b.claims?.others('m'), ['host-a']);
    await a.saveBatchJob({ ...job, createdMs: Date.now() - JOB_KEPT_MS });
    assert.equal(await b.claims?.others('m'), []);
    assert.is((await b.missingEmbeddings('m', 0, 9)).length, 1);
  });

  test('a host that stops embedding leaves the rest to others, except for its jobs', async () => {
    const [a, b] = await bothHosts();
    await apply(a, putChange('a.md', 'one'));
    assert.is((await a.missingEmbeddings('m', 0, 9)).length, 1);
    assert.equal(await b.claims?.others('m'), ['host-a']);
    assert.equal(await a.claims?.others('m'), []);
    await b.claims?.release('m');
    assert.equal(await b.missingEmbeddings('m', 0, 9), []);
    await a.saveBatchJob({ id: 'job', identity: 'm', json: '{}', createdMs: 1 });
    await a.claims?.release('m');
    assert.equal(await b.missingEmbeddings('m', 0, 9), []);
    await a.removeBatchJob('job');
    await a.claims?.release('m');
    assert.equal(await b.claims?.others('m'), []);
    assert.is((await b.missingEmbeddings('m', 0, 9)).length, 1);
  });

  test('other settings of a host replace its documents one by one', async () => {
    const [a, b] = await bothHosts();
    await apply(a, putChange('a.md', 'alpha'));
    const identity = { ...(await a.identity()), chunkTokens: 100 };
    const again = await kind.openAs('host-a', { identity });
    assert.is((await again.identity()).chunkTokens, 100);
    assert.is((await again.documents())[0]?.hash, '');
    assert.is(await b.countMatches('"alpha"'), 1);
    const failure = await failureOf(kind.openAs('host-b', { identity: testIdentity('trigram') }));
    assert.is(failure.code, 'STORAGE_TOKENIZER');
    await apply(again, removeChange('a.md'));
    const changed = await kind.openAs('host-b', { identity: testIdentity('trigram') });
    assert.is((await changed.identity()).tokenizer, 'trigram');
  });

  test('what an older svc did not store about its settings is empty', async () => {
    const [a] = await bothHosts();
    const identity = await a.identity();
    await kind.server.run(
      "UPDATE svc.origins SET identity = (identity::jsonb - 'workspace' - 'conversationsIn')::text",
    );
    const reader = await openPostgresIndex(kind.server, { agent: 'main', origin: 'host-a' });
    assert.equal(await reader?.identity(), identity);
  });

  test('an index that is open is not used any more once a newer svc has migrated the tables', async () => {
    const [a] = await bothHosts();
    await apply(a, putChange('a.md', 'alpha'));
    assert.is(await a.countMatches('"alpha"'), 1);
    await kind.server.run('INSERT INTO svc.migrations (version) VALUES (9999)');
    assert.is((await failureOf(a.countMatches('"alpha"'))).code, 'STORAGE_NEWER');
    await kind.server.run('DELETE FROM svc.migrations WHERE version = 9999');
    assert.is(await a.countMatches('"alpha"'), 1);
  });

  test('nothing that was read before a failover or a restore is used after it', async () => {
    const [a, b] = await bothHosts();
    await apply(a, putChange('a.md', 'alpha'));
    assert.is(await a.countMatches('"alpha"'), 1);
    await apply(b, putChange('b.md', 'alpha'));
    // The server lost a revision, and has another one with the same number now.
    await kind.server.run('UPDATE svc.memories SET revision = revision - 1');
    assert.is(await a.countMatches('"alpha"'), 2);
  });

  test('a host that indexes nothing can still search, and an empty memory is not a failure', async () => {
    const [a] = await bothHosts();
    await apply(a, putChange('a.md', 'alpha'));
    const reader = await openPostgresIndex(kind.server, { agent: 'main', origin: 'host-z' });
    assert.equal(shown((await reader?.lexicalCandidates('"alpha"', 9)) ?? []), [
      'host-a:a.md alpha',
    ]);
    assert.equal(await reader?.documents(), []);
    assert.is(await openPostgresIndex(kind.server, { agent: 'none', origin: 'host-a' }), undefined);
  });

  test('erased text leaves no tag and no link, until its host reads the file again', async () => {
    const [a, b] = await bothHosts();
    const noteOf = (path: string, text: string): IndexedDocument => ({
      ...documentOf(path, [text]),
      facts: { tags: [`tag-of-${path}`] },
      links: [{ kind: 'wiki', line: 1, target: `link-of-${path}` }],
    });
    const put = (path: string, text: string): Change => ({
      type: 'put',
      document: noteOf(path, text),
    });
    await apply(b, put('gone.md', 'alpha secretword'), put('kept.md', 'alpha'));
    const found = await a.lexicalCandidates('"secretword"', 9);
    await a.eraseChunks(found.map(({ chunkId }) => chunkId));
    const stored = () =>
      kind.server.query(
        `SELECT path, facts IS NOT NULL AS facts, links IS NOT NULL AS links FROM svc.documents ORDER BY path`,
      );
    assert.equal(await stored(), [
      { path: 'gone.md', facts: false, links: false },
      { path: 'kept.md', facts: true, links: true },
    ]);
    assert.equal(
      (await b.links()).map(({ path }) => path),
      ['kept.md'],
    );
    await apply(b, put('gone.md', 'alpha'));
    assert.equal(await stored(), [
      { path: 'gone.md', facts: true, links: true },
      { path: 'kept.md', facts: true, links: true },
    ]);
  });

  test('what a host has read before another one forgot something is read again, also if its sync is killed', async () => {
    await kind.newIndex();
    const place = { agent: 'main', origin: 'host-a' };
    const options = { forgetNext: 2 };
    const index = await preparePostgresIndex(kind.server, place, testIdentity(), options);
    const readAgain = async () =>
      (await index.documents()).map(({ fingerprint }) => fingerprint.ctimeMs === READ_AGAIN_MS);
    const forget = (number: number) =>
      kind.server.run(
        "INSERT INTO svc.forgotten (agent, key, number, entry) VALUES ('main', $1, $2, '{}')",
        [`key ${number}`, number],
      );
    await forget(1);
    await apply(index, putChange('a.md', 'alpha'));
    assert.equal(await readAgain(), [false]);
    await forget(2);
    await apply(index, putChange('b.md', 'beta'));
    assert.equal(await readAgain(), [true, true]);
    await kind.server.run('DELETE FROM svc.forgotten');
  });

  test('a host can be removed, and erased text leaves no word', async () => {
    const [a, b] = await bothHosts();
    await apply(a, putChange('a.md', 'alpha secretword', 'beta'));
    await apply(b, putChange('b.md', 'alpha secretword too'), putChange('c.md', 'alpha'));
    await embedMissing(a, 'm', textVector);
    const found = await a.lexicalCandidates('"secretword"', 9);
    await a.eraseChunks(found.map(({ chunkId }) => chunkId));
    assert.is(await b.countMatches('"secretword"'), 0);
    assert.ok(await a.compact());
    assert.equal(await a.termsBetween('s', 't'), []);
    assert.equal(await kind.server.query('SELECT count(*) AS count FROM svc.embeddings'), [
      { count: 2 },
    ]);
    assert.equal(
      (await a.documents()).map(({ hash }) => hash),
      [''],
    );
    await b.saveBatchJob({ id: 'job', identity: 'm', json: '{}', createdMs: 1 });
    await a.removeOrigin('host-b');
    assert.equal(await kind.server.query('SELECT id FROM svc.batch_jobs'), []);
    assert.equal(
      (await listOrigins(kind.server, 'main')).map(({ name, documents, chunks }) => [
        name,
        documents,
        chunks,
      ]),
      [['host-a', 1, 1]],
    );
    assert.is(await a.countMatches('"alpha"'), 0);
    assert.is((await a.termStatistics([])).chunks, 1);
    for (const type of ['put', 'extend'] as const) {
      const change = { type, document: documentOf('b.md', ['again']), replacesLast: 0 };
      assert.is((await failureOf(apply(b, change))).code, 'STORAGE_BUSY');
    }
    await apply(await kind.openAs('host-b'), putChange('b.md', 'again'));
    assert.is(await a.countMatches('"again"'), 1);
  });

  test('erasing writes only the words of what was deleted, and can be interrupted', async () => {
    const [a, b] = await bothHosts();
    await apply(a, putChange('a.md', 'alpha secretword'), putChange('kept.md', 'beta'));
    await apply(b, putChange('b.md', 'beta'));
    const rows = (term: string) =>
      kind.server.query<{ readonly hits: Buffer }>(
        'SELECT ctid::text, hits FROM svc.terms WHERE term = $1',
        [term],
      );
    const erase = async (signal?: AbortSignal) => {
      const found = await a.lexicalCandidates('"secretword"', 9);
      await a.eraseChunks(found.map(({ chunkId }) => chunkId));
      return a.compact(signal);
    };
    const before = await rows('beta');
    await apply(b, putChange('too.md', 'alpha'));
    const alpha = await rows('alpha');
    assert.is(await erase(AbortSignal.abort()), false);
    // The passage is gone, and the next time removes what is left of it.
    assert.is(await a.countMatches('"alpha"'), 1);
    assert.is(await erase(), true);
    assert.not.equal((await rows('alpha'))[0]?.hits, alpha[0]?.hits);
    assert.equal(await rows('beta'), before);
    assert.equal(await kind.server.query('SELECT dead_chunks AS dead FROM svc.memories'), [
      { dead: 0 },
    ]);
  });

  test('documents of other hosts are found by some names', async () => {
    const [a, b] = await bothHosts();
    await apply(a, putChange('a.md', 'alpha'));
    await apply(b, putChange('a.md', 'alpha'), putChange('b.md', 'beta'), putChange('c.md', 'c'));
    const own = { agent: 'main', origin: 'host-a' };
    const pathsOf = async (names?: readonly string[]) =>
      (await otherDocuments(kind.server, own, names)).map(
        ({ origin, path }) => `${origin} ${path}`,
      );
    assert.equal(await pathsOf(), ['host-b a.md', 'host-b b.md', 'host-b c.md']);
    assert.equal(await pathsOf(['host-b:a.md', 'b.md', 'host-a:c.md']), [
      'host-b a.md',
      'host-b b.md',
    ]);
  });

  test('what a sync saw takes up and transfers the same few bytes for any number of files', async () => {
    const [a, b] = await bothHosts();
    const tree = { paths: 'memory/a.md//'.repeat(5000), fingerprints: Buffer.alloc(120_000) };
    const mark = { syncedMs: 5, skipped: [] };
    assert.not(await a.hasTree(tree));
    await a.markSynced(mark, tree);
    assert.ok(await a.hasTree(tree));
    assert.not(await b.hasTree(tree));
    assert.not(await a.hasTree({ ...tree, paths: `${tree.paths}b.md` }));
    assert.not(await a.hasTree({ ...tree, fingerprints: Buffer.alloc(120_000, 1) }));
    const [row] = await kind.server.query<{ readonly bytes: number }>(
      `SELECT octet_length(tree_paths) + octet_length(tree_fingerprints) AS bytes
       FROM svc.origins WHERE name = 'host-a'`,
    );
    assert.is(row?.bytes, 64);
    await apply(a, putChange('a.md', 'alpha'));
    assert.not(await a.hasTree(tree));
    await a.markSynced(mark, undefined);
    assert.not(await a.hasTree(tree));
    assert.equal(await a.syncMark(), mark);
  });

  test('a host with long documents is removed some passages at a time', async () => {
    const [a, b] = await bothHosts();
    const passages = (count: number) => Array.from({ length: count }, (_, at) => `alpha ${at}`);
    await apply(a, putChange('a.md', 'alpha'));
    await apply(
      b,
      putChange('long.md', ...passages(4001)),
      putChange('longer.md', ...passages(8000)),
    );
    const revision = async () => {
      const [row] = await kind.server.query<{ readonly revision: number }>(
        'SELECT revision FROM svc.memories',
      );
      return row?.revision ?? 0;
    };
    const before = await revision();
    await a.removeOrigin('host-b');
    // Three times 4,000, the last one, and a look for more.
    assert.is((await revision()) - before, 5);
    assert.is(await a.countMatches('"alpha"'), 1);
    assert.equal(
      (await listOrigins(kind.server, 'main')).map(({ name }) => name),
      ['host-a'],
    );
  });

  test('the documents of a host that is removed are deleted without writing them before', async () => {
    const [a, b] = await bothHosts();
    await apply(a, putChange('a.md', 'alpha one'));
    await apply(b, putChange('b.md', 'alpha two'), putChange('c.md'));
    await kind.server.run(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'written'; END $$;
       CREATE TRIGGER written BEFORE UPDATE ON svc.documents FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    try {
      await a.removeOrigin('host-b');
    } finally {
      await kind.server.run('DROP TRIGGER written ON svc.documents; DROP FUNCTION refuse()');
    }
    assert.equal(shown(await a.lexicalCandidates('"alpha"', 9)), [':a.md alpha one']);
  });

  test('a host that was removed in part indexes again what is missing', async () => {
    const [a, b] = await bothHosts();
    const texts = Array.from({ length: 4001 }, (_, at) => `alpha ${at}`);
    await apply(b, putChange('long.md', ...texts), putChange('b.md', 'beta'));
    const tree = { paths: 'long.md\0b.md', fingerprints: Buffer.alloc(8) };
    await b.markSynced({ syncedMs: 1, skipped: [] }, tree);
    const { transaction } = kind.server;
    let transactions = 0;
    // Until it is killed.
    kind.server.transaction = async <T>(work: (transaction: Transaction) => Promise<T>) => {
      transactions += 1;
      if (transactions > 1) throw new Error('killed');
      return transaction.call<Server, [typeof work], Promise<T>>(kind.server, work);
    };
    try {
      assert.is((await errorOf(Error, a.removeOrigin('host-b'))).message, 'killed');
    } finally {
      kind.server.transaction = transaction;
    }
    assert.is(await b.countMatches('"alpha"'), 1);
    assert.not(await b.hasTree(tree));
    assert.equal(
      (await b.documents()).map(({ path, hash }) => [path, hash]),
      [
        ['b.md', 'b.md'],
        ['long.md', ''],
      ],
    );
    await apply(b, putChange('long.md', ...texts));
    assert.is(await b.countMatches('"alpha"'), 4001);
  });

  test('vectors that can never be used again do not stay in the cache', async () => {
    const index = await kind.newIndex();
    await apply(index, putChange('a.md', 'alpha'));
    for (const identity of ['old', 'other', 'm']) await embedMissing(index, identity, textVector);
    const isSuperseded = (identity: string): boolean => identity === 'old';
    await index.tidyEmbeddings({ keepIdentities: ['m'], isSuperseded, cacheEntries: 9, atMs: 5 });
    const left = await kind.server.query(
      'SELECT DISTINCT identity FROM svc.embeddings JOIN svc.spaces ON spaces.id = space ORDER BY identity',
    );
    assert.equal(left, [{ identity: 'm' }, { identity: 'other' }]);
  });

  test('what deleted passages left is removed once it is worth it, and nothing of others', async () => {
    const index = await kind.newIndex();
    const passages = (count: number) => Array.from({ length: count }, (_, at) => `alpha ${at}`);
    /** How many deleted passages have left something, how many passages are found, and the bytes of their word. */
    const state = async () => {
      const [row] = await kind.server.query<{ readonly dead: number; readonly bytes: number }>(
        `SELECT dead_chunks AS dead, (SELECT sum(octet_length(hits)) FROM (
           SELECT hits FROM svc.terms WHERE term = 'alpha'
           UNION ALL SELECT hits FROM svc.postings WHERE term = 'alpha') AS hits) AS bytes
         FROM svc.memories`,
      );
      return {
        dead: row?.dead,
        found: await index.countMatches('"alpha"'),
        bytes: row?.bytes ?? 0,
      };
    };
    const putAndRemove = async (count: number) => {
      await apply(index, putChange('gone.md', ...passages(count)));
      await apply(index, removeChange('gone.md'));
      return state();
    };
    // Exactly a page of lengths.
    await apply(index, putChange('gone.md', ...passages(512)));
    assert.is(await index.countMatches('"alpha"'), 512);
    await apply(index, removeChange('gone.md'), putChange('one.md', 'alpha'));
    const few = await putAndRemove(487);
    assert.equal([few.dead, few.found], [999, 1]);
    const compact = await putAndRemove(1);
    assert.equal([compact.dead, compact.found], [0, 1]);
    assert.ok(compact.bytes < few.bytes);
    // More than are read at once.
    await apply(index, putChange('many.md', ...passages(4101)));
    const half = await putAndRemove(2050);
    assert.equal([half.dead, half.found], [2050, 4102]);
    // Each passage is found with every word of it, wherever its words are stored.
    const both = '"alpha" AND ("17" OR "2083" OR "4090")';
    assert.is(await index.countMatches(both), 3);
    const rest = await putAndRemove(1);
    assert.equal([rest.dead, rest.found], [0, 4102]);
    assert.is(await index.countMatches(both), 3);
    assert.ok(rest.bytes < half.bytes);
    assert.equal((await index.termStatistics(['"alpha"'])).frequencies, [4102]);
  });

  if (kind.name === 'PostgreSQL') {
    /** Keeps the memory locked while something else goes on. */
    const whileLocked = async (work: (other: Transaction) => Promise<void>): Promise<void> => {
      await kind.server.transaction(async (other) => {
        await other.query('SELECT id FROM svc.memories FOR UPDATE');
        await work(other);
      });
    };

    test('waiting too long for another writer is an error and changes nothing', async () => {
      const [a] = await bothHosts();
      await apply(a, putChange('a.md', 'alpha'));
      const b = await kind.openAs('host-b', { lockWaitMs: 50 });
      await whileLocked(async () => {
        assert.is((await failureOf(apply(b, putChange('b.md', 'alpha')))).code, 'STORAGE_BUSY');
        const identity = { ...(await a.identity()), chunkTokens: 100 };
        const opening = kind.openAs('host-b', { identity, lockWaitMs: 50 });
        assert.is((await failureOf(opening)).code, 'STORAGE_BUSY');
      });
      assert.is(await b.countMatches('"alpha"'), 1);
      await apply(b, putChange('b.md', 'alpha'));
      assert.is(await a.countMatches('"alpha"'), 2);
    });

    test('a vector that is stored while its passage is deleted is not kept for good', async () => {
      const [a] = await bothHosts();
      await apply(a, putChange('a.md', 'alpha'));
      await embedMissing(a, 'm', textVector);
      await apply(a, putChange('gone.md', 'gone'), putChange('edited.md', 'kept', 'replaced'));
      const writer = await kind.openAs('host-a');
      let storing: Promise<unknown> | undefined;
      let writing: Promise<unknown> | undefined;
      await kind.server.transaction(async (other) => {
        // Storing vectors ends with this row.
        await other.query('SELECT FROM svc.memory_spaces FOR UPDATE');
        storing = embedMissing(a, 'm', textVector);
        await waitFor('the vectors', async () => (await waitingFor(kind.server)) > 0);
        let isWritten = false;
        writing = apply(writer, removeChange('gone.md'), putChange('edited.md', 'kept')).then(
          () => {
            isWritten = true;
          },
        );
        await waitFor('the writer', async () => isWritten || (await waitingFor(kind.server)) > 1);
      });
      await Promise.all([storing, writing]);
      await a.tidyEmbeddings({ keepIdentities: ['m'], cacheEntries: 0, atMs: 1 });
      const [space] = await a.vectorSpaces();
      assert.equal([space?.chunks, space?.cached], [2, 0]);
    });

    test('no vector is lost if its note is written again while it is stored', async () => {
      const [a] = await bothHosts();
      await apply(a, putChange('a.md', 'alpha'), putChange('edited.md', 'kept', 'before'));
      const writer = await kind.openAs('host-a');
      let storing: Promise<number> | undefined;
      let writing: Promise<void> | undefined;
      await kind.server.transaction(async (other) => {
        // Writing a document ends with this row.
        await other.query("SELECT FROM svc.documents WHERE path = 'edited.md' FOR KEY SHARE");
        writing = apply(writer, putChange('edited.md', 'kept', 'after'));
        await waitFor('the writer', async () => (await waitingFor(kind.server)) > 0);
        storing = embedMissing(a, 'm', textVector);
        await waitFor('the vectors', async () => (await waitingFor(kind.server)) > 1);
      });
      await writing;
      // What both versions of the note have is embedded once.
      assert.is(await storing, ['alpha', 'kept', 'before', 'after'].length);
    });

    test('the vector of a text that two memories delete at the same time is not kept', async () => {
      const [a] = await bothHosts();
      const place = { agent: 'other', origin: 'host-a' };
      const other = await preparePostgresIndex(kind.server, place, testIdentity());
      const both = [a, other];
      for (const index of both) await apply(index, putChange('gone.md', 'gone'));
      await embedMissing(a, 'm', textVector);
      let deleting: Promise<unknown> | undefined;
      await kind.server.transaction(async (transaction) => {
        // Deleting a document ends with its row.
        await transaction.query('SELECT FROM svc.documents FOR KEY SHARE');
        deleting = Promise.all(both.map((index) => apply(index, removeChange('gone.md'))));
        await waitFor('both', async () => (await waitingFor(kind.server)) > 1);
      });
      await deleting;
      await a.tidyEmbeddings({ keepIdentities: ['m'], cacheEntries: 0, atMs: 1 });
      assert.equal(await kind.server.query('SELECT hash FROM svc.embeddings'), []);
    });

    test('a host that is removed while it waits to write gets an error', async () => {
      const [a, b] = await bothHosts();
      let refused: Promise<SvcError> | undefined;
      await whileLocked(async (other) => {
        refused = failureOf(apply(b, putChange('b.md', 'alpha')));
        await waitFor('the writer', async () => (await waitingFor(kind.server)) > 0);
        await other.run("DELETE FROM svc.origins WHERE name = 'host-b'");
      });
      assert.is((await refused)?.code, 'STORAGE_BUSY');
      assert.is(await a.countMatches('"alpha"'), 0);
    });
  }

  test.run();
}
