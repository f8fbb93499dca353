import {
  storageCopyOutputSchema,
  storageMigrateOutputSchema,
  storageOriginsOutputSchema,
  storageStatusOutputSchema,
} from '../../src/engine/storage/output-schemas.js';
import type { JsonDocument } from './json-document.js';

const ADDRESS = 'db.internal:5432/svc';

const ORIGIN = {
  agent: 'main',
  origin: 'build-1',
  documents: 34,
  chunks: 118,
  lastSync: '2026-03-02T16:12:40.007Z',
  seenSecondsAgo: 95,
};

const status: JsonDocument = {
  title: 'svc storage status',
  introduction:
    'Where memories and flows are stored; see [teams.md](teams.md). Exits with 1 if the server is not `usable`.',
  schema: storageStatusOutputSchema,
  example: {
    store: 'postgres',
    files: null,
    origin: 'build-1',
    memories: [ORIGIN],
    server: {
      address: ADDRESS,
      user: 'svc_host',
      version: '16.4',
      supported: true,
      usable: true,
      schemaVersion: 2,
      knownSchemaVersion: 2,
      pending: [],
      readOnly: false,
      missingRights: null,
      clockAheadMs: 12,
      pgvector: { state: 'missing', version: null },
      sizes: { index: 48_234_496, vectors: 26_214_400, flows: 9_437_184, database: 92_274_688 },
      connections: {
        max: 97,
        pool: 10,
        clients: [
          {
            application: 'svc',
            host: '10.0.0.12',
            connections: 4,
            since: '2026-03-02T08:00:00.000Z',
          },
        ],
      },
      replicas: [
        { name: 'standby', host: '10.0.0.9', state: 'streaming', lagBytes: 0, lagSeconds: null },
      ],
    },
    warnings: [],
  },
};

const migrate: JsonDocument = {
  title: 'svc storage migrate',
  introduction: 'The migrations that were applied, or with `--dry-run` would be.',
  schema: storageMigrateOutputSchema,
  example: {
    address: ADDRESS,
    dryRun: true,
    migrations: [{ version: 2, name: 'memory', sql: 'CREATE TABLE svc.memories (…);\n…' }],
    vectorIndexes: [],
    warnings: [],
  },
};

const HASH = '5f1c0a6d1f0d2b7c8e9a3b4c5d6e7f80912a3b4c5d6e7f8091a2b3c4d5e6f708';

const copy: JsonDocument = {
  title: 'svc storage copy',
  introduction:
    'What was copied, and whether both stores agree; see [teams.md](teams.md#copying-what-you-have). Exits with 1 if it is not `verified`, except with `--dry-run`.',
  schema: storageCopyOutputSchema,
  example: {
    to: 'postgres',
    address: ADDRESS,
    dryRun: false,
    verified: true,
    parts: [
      {
        name: 'flows',
        rows: 1204,
        written: 1204,
        newer: 0,
        deleted: 0,
        different: 0,
        hashes: { source: HASH, target: HASH },
      },
    ],
    warnings: [],
  },
};

const origins: JsonDocument = {
  title: 'svc storage origins',
  introduction: 'The hosts that index into shared memories; see [teams.md](teams.md).',
  schema: storageOriginsOutputSchema,
  example: { origins: [ORIGIN], forgotten: [], warnings: [] },
};

/** The documents of `svc storage`. */
export const STORAGE_DOCUMENTS: readonly JsonDocument[] = [status, migrate, copy, origins];
