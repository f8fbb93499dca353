import {
  storageMigrateOutputSchema,
  storageStatusOutputSchema,
} from '../../src/engine/storage/output-schemas.js';
import type { JsonDocument } from './json-document.js';

const ADDRESS = 'db.internal:5432/svc';

const status: JsonDocument = {
  title: 'svc storage status',
  introduction:
    'Where memories and flows are stored; see [teams.md](teams.md). Exits with 1 if the server is not `usable`.',
  schema: storageStatusOutputSchema,
  example: {
    store: 'postgres',
    files: null,
    origin: 'build-1',
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
    warnings: [],
  },
};

/** The documents of `svc storage`. */
export const STORAGE_DOCUMENTS: readonly JsonDocument[] = [status, migrate];
