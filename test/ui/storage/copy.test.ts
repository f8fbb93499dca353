import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ServerStatus } from '../../../src/engine/storage/index.js';
import { createCopyProgress, renderCopy, renderStorageStatus } from '../../../src/ui/storage.js';
import { createStyle } from '../../../src/ui/style.js';
import { PIPED_VIEW } from '../../support/piped-view.js';

test('progress is printed once a second, and at the end of each step', () => {
  const lines: string[] = [];
  let nowMs = 0;
  const printProgress = createCopyProgress(
    (line) => lines.push(line),
    () => nowMs,
  );
  for (const step of ['copying', 'checking'] as const) {
    for (const rows of [200, 400, 557]) {
      printProgress({ part: 'flows', step, rows, of: 557 });
      nowMs += 10;
    }
  }
  assert.equal(lines, [
    'flows: copying 200 of 557',
    'flows: copying 557 of 557',
    'flows: checking 200 of 557',
    'flows: checking 557 of 557',
  ]);
});

test('a host that has nothing is not said to be copied', () => {
  const copied = { to: 'postgres', address: 'db/svc', parts: [] } as const;
  for (const dryRun of [false, true]) {
    const text = renderCopy({ ...copied, dryRun, verified: !dryRun }, createStyle(false));
    assert.is(text, 'nothing to copy\n');
  }
});

test('a dry run names what would be copied, and a difference asks for another run', () => {
  const part = { name: 'flows', rows: 1200, written: 3, newer: 0, deleted: 0, different: 2 };
  const copied = { to: 'sqlite', address: 'db/svc', verified: false } as const;
  const parts = [{ ...part, hashes: null }];
  assert.is(
    renderCopy({ ...copied, dryRun: true, parts }, createStyle(false)),
    `        rows
flows  1,200

would be copied to the SQLite files of this machine, except what is there already
`,
  );
  const differing = renderCopy({ ...copied, dryRun: false, parts }, createStyle(false));
  assert.match(differing, /\n2 rows of the source changed meanwhile, .*: run it again\n$/);
});

test('the status of a server names what keeps hosts from using it', () => {
  const server = {
    address: 'db:5432/svc',
    user: 'svc',
    version: '14.2',
    supported: false,
    usable: false,
    schemaVersion: 9,
    knownSchemaVersion: 8,
    pending: [],
    readOnly: true,
    missingRights: null,
    clockAheadMs: -90_000,
    pgvector: { state: 'available', version: '0.8.0' },
    sizes: { index: 1, vectors: 2, flows: 3, database: 4 },
    connections: { max: 100, pool: 5, clients: [] },
    replicas: [
      { name: 'b', host: null, state: null, lagBytes: null, lagSeconds: null },
      { name: 'c', host: '10.0.0.3', state: 'streaming', lagBytes: 2000, lagSeconds: 61 },
    ],
  } as const;
  const shown = (changes: Partial<ServerStatus>) =>
    renderStorageStatus(
      {
        store: 'postgres',
        origin: null,
        files: null,
        server: { ...server, ...changes },
        memories: [],
      },
      PIPED_VIEW,
    );
  const faulty = shown({});
  for (const expected of [
    'version      14.2; svc needs PostgreSQL 15 or newer',
    'tables       version 9, made by a newer svc; this one knows 8: update it',
    'role         svc: the server is read-only',
    'pgvector     0.8.0 is installed but not enabled; "CREATE EXTENSION vector", then "svc storage migrate", indexes vectors',
    'clock        1 min 30 s behind this host',
    'b        –         –                     unknown',
    'c        10.0.0.3  streaming  2.0 kB, 1 min 01 s',
  ])
    assert.ok(faulty.includes(expected), `${expected}\n${faulty}`);
  const fresh = shown({
    schemaVersion: 0,
    pending: [{ version: 1, name: 'flows' }],
    pgvector: { state: 'used', version: '0.8.0' },
  });
  assert.match(fresh, 'none yet, 1 migration pending: run "svc storage migrate"');
  assert.match(fresh, '0.8.0, used for semantic search');
});

test.run();
