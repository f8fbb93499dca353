import * as z from 'zod/mini';
import {
  type DocumentOf,
  documentSchema,
  field,
  listField,
  objectField,
  objectOrNullField,
} from '../errors/output-schema.js';

const migration = z.strictObject({
  version: field.count('Its number.'),
  name: field.text('What it adds.'),
});

const server = z.strictObject({
  address: field.text('`host:port/database`.'),
  user: field.text('The role that svc uses.'),
  version: field.text('The version of PostgreSQL.'),
  supported: field.flag('Whether svc can use this version.'),
  usable: field.flag('Whether hosts can work with it as it is.'),
  schemaVersion: field.count('The version of the tables; 0 if there are none.'),
  knownSchemaVersion: field.count('The version that this svc needs.'),
  pending: field(z.array(migration), 'What `svc storage migrate` would do.'),
  readOnly: field.flag('Whether it refuses changes, as a replica does.'),
  missingRights: field.textOrNull(
    'The statements that give the role what it lacks; `null` if it lacks nothing.',
  ),
  clockAheadMs: field(z.int(), "How far its clock is ahead of this host's."),
  pgvector: objectField('The extension for vector searches.', {
    state: field(
      z.enum(['available', 'missing', 'used']),
      '`available`: it can be added with `CREATE EXTENSION vector`.',
    ),
    version: field.textOrNull('`null` if it is missing.'),
  }),
  sizes: objectField('Bytes on the disk of the server, with indexes.', {
    index: field.count('Documents, passages and words.'),
    vectors: field.count('Vectors.'),
    flows: field.count('Flows, tasks, notifications and answers.'),
    database: field.count('The whole database.'),
  }),
  connections: objectField('Connections.', {
    max: field.count('How many the server accepts.'),
    pool: field.count('`storage.poolSize`: how many each process opens at most.'),
    clients: listField('Who is connected to the database, most connections first.', {
      application: field.text('`svc`, or the name of another program.'),
      host: field.textOrNull(
        'Its address; `null` for a Unix socket, or if the role cannot see it.',
      ),
      connections: field.count('How many it has.'),
      since: field.timeOrNull('When the oldest was opened; `null` if the role cannot see it.'),
    }),
  }),
  replicas: listField('Servers that follow this one, as far as the role can see them.', {
    name: field.text('Its `application_name`.'),
    host: field.textOrNull('Its address; `null` if unknown.'),
    state: field.textOrNull('Such as `streaming`; `null` if unknown.'),
    lagBytes: field(z.nullable(z.number()), 'What it has not replayed; `null` if unknown.'),
    lagSeconds: field(z.nullable(z.number()), 'How late it is; `null` if idle or unknown.'),
  }),
});

const origin = z.strictObject({
  agent: field.text('The agent whose memory it is.'),
  origin: field.text('The name of the host, `storage.origin`.'),
  documents: field.count('How many documents it indexed.'),
  chunks: field.count('How many passages they have.'),
  lastSync: field.timeOrNull(
    'When its last sync ended, by its own clock; `null` before the first.',
  ),
  seenSecondsAgo: field.count("How long ago it wrote something, by the server's clock."),
});

/** `svc storage origins --json`. */
export const storageOriginsOutputSchema = documentSchema({
  origins: field(z.array(origin), 'By agent and name.'),
  forgotten: field(z.array(origin), 'What `--forget` removed, as it was before.'),
});

/** `svc storage status --json`. */
export const storageStatusOutputSchema = documentSchema({
  store: field(z.enum(['postgres', 'sqlite']), '`sqlite` without `storage.url`.'),
  files: objectOrNullField('Where SQLite files are stored; `null` with a server.', {
    flows: field.text('Absolute path of the database of flows.'),
    indexes: field.texts('Absolute path of the index of each agent.'),
  }),
  origin: field.textOrNull('The name of this host; `null` without a server.'),
  memories: field(
    z.array(origin),
    'The hosts that index into each shared memory, by agent and name.',
  ),
  server: field(z.nullable(server), 'The server of `storage.url`; `null` without one.'),
});

/** `svc storage migrate --json`. */
export const storageMigrateOutputSchema = documentSchema({
  address: field.text('`host:port/database`.'),
  dryRun: field.flag('Whether nothing was changed.'),
  migrations: field(
    z.array(z.extend(migration, { sql: field.text('Its statements.') })),
    'What was applied, or would be; empty if the tables are up to date.',
  ),
  vectorIndexes: field.texts(
    'Statements that built indexes of vectors, or would; only with pgvector and many vectors.',
  ),
});

/** `svc storage copy --json`. */
export const storageCopyOutputSchema = documentSchema({
  to: field(z.enum(['postgres', 'sqlite']), 'Where rows were copied to.'),
  address: field.text('`host:port/database`.'),
  dryRun: field.flag('Whether nothing was copied.'),
  verified: field.flag('Whether both stores were compared and no row is missing or different.'),
  parts: listField('What was copied, in order.', {
    name: field.text(
      '`flows`, `tasks`, `notifications`, `history`, `answers`, `pauses`, `schedules`, and `vectors of` or `recalls of` an agent.',
    ),
    rows: field.count('Rows of the source.'),
    written: field.count('Rows that this run added or replaced.'),
    newer: field.count('Rows of which the target has a newer version, which stays.'),
    deleted: field.count(
      'Rows that an earlier copy wrote and that were deleted in the target since; they stay deleted.',
    ),
    different: field.count('Rows that the target lacks, or has with another content.'),
    hashes: objectOrNullField(
      'Of all rows that are neither `newer` nor `deleted`; `null` with `--dry-run`.',
      {
        source: field.text('SHA-256 of the rows in the source.'),
        target: field.text('The same of the target; equal if nothing differs.'),
      },
    ),
  }),
});

export type StorageOriginsOutput = DocumentOf<typeof storageOriginsOutputSchema>;
export type StorageCopyOutput = DocumentOf<typeof storageCopyOutputSchema>;
export type StorageStatusOutput = DocumentOf<typeof storageStatusOutputSchema>;
export type StorageMigrateOutput = DocumentOf<typeof storageMigrateOutputSchema>;
