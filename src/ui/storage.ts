import type {
  CopyProgress,
  ServerStatus,
  StorageCopyOutput,
  StorageMigrateOutput,
  StorageOriginsOutput,
  StorageStatusOutput,
} from '../engine/storage/index.js';
import {
  formatBytes,
  formatCount,
  formatCountOf,
  formatDuration,
  formatRelativeTime,
} from '../engine/support/format.js';
import { safeLine, shownPath } from './safe-text.js';
import type { Style, View } from './style.js';
import { type Field, fieldLines, renderTable, right } from './table.js';

const CLIENT_COLUMNS = ['connected', 'from', right('connections'), 'since'];

const REPLICA_COLUMNS = ['replica', 'at', 'state', right('behind')];

/** Text of `svc storage status`. */
export function renderStorageStatus(
  { files, server, memories }: StorageStatusOutput,
  options: View,
): string {
  const parts = [
    ...(files === null ? [] : [filesPart(files, options)]),
    ...(server === null ? [] : serverParts(server, options)),
    ...(memories.length === 0 ? [] : [originsTable(memories, options.style)]),
  ];
  return parts.join('\n');
}

function filesPart(
  { flows, indexes }: NonNullable<StorageStatusOutput['files']>,
  { style, homeDir }: View,
): string {
  const rows = [...indexes.map((file) => ['index', file]), ['flows', flows]].map(
    ([name = '', file = '']): Field => [name, shownPath(file, homeDir)],
  );
  return [
    'memories and flows are stored in SQLite files on this machine',
    ...fieldLines(rows, style),
    '',
    'To share them among several hosts, set a PostgreSQL server:',
    '  svc config set storage.url env:SVC_DATABASE_URL',
    '',
  ].join('\n');
}

function serverParts(server: ServerStatus, { style, nowMs }: View): readonly string[] {
  const { address, version, sizes, connections, replicas } = server;
  const rows: readonly Field[] = [
    ['version', versionWords(server, style)],
    ['tables', tableWords(server, style)],
    ['role', roleWords(server, style)],
    ['pgvector', vectorWords(server)],
    [
      'size',
      `index ${formatBytes(sizes.index)} · vectors ${formatBytes(sizes.vectors)} · flows ${formatBytes(sizes.flows)} · database ${formatBytes(sizes.database)}`,
    ],
    ['clock', clockWords(server)],
    [
      'connections',
      `at most ${formatCount(connections.pool)} per process · the server accepts ${formatCount(connections.max)}`,
    ],
  ];
  const head = `${style.bold(safeLine(address))}  PostgreSQL ${safeLine(version)}`;
  const clients = connections.clients.map((client) => [
    safeLine(client.application || '–'),
    safeLine(client.host ?? 'this server'),
    formatCount(client.connections),
    client.since === null ? '–' : formatRelativeTime(Date.parse(client.since), nowMs),
  ]);
  return [
    `${[head, ...fieldLines(rows, style)].join('\n')}\n`,
    renderTable(CLIENT_COLUMNS, clients, { style }),
    ...(replicas.length === 0
      ? []
      : [renderTable(REPLICA_COLUMNS, replicas.map(replicaRow), { style })]),
  ];
}

function versionWords({ supported, version }: ServerStatus, style: Style): string {
  if (supported) return safeLine(version);
  return style.fault(`${safeLine(version)}: svc needs PostgreSQL 15 or newer`);
}

function tableWords(server: ServerStatus, style: Style): string {
  const { schemaVersion, knownSchemaVersion, pending } = server;
  if (schemaVersion > knownSchemaVersion) {
    return style.fault(
      `version ${schemaVersion}, made by a newer svc; this one knows ${knownSchemaVersion}: update it`,
    );
  }
  if (pending.length === 0) return `version ${schemaVersion}, up to date`;
  const is = schemaVersion === 0 ? 'none yet' : `version ${schemaVersion}`;
  return style.warning(
    `${is}, ${formatCountOf(pending.length, 'migration')} pending: run "svc storage migrate"`,
  );
}

function roleWords({ user, readOnly, missingRights }: ServerStatus, style: Style): string {
  const role = safeLine(user);
  if (readOnly) return style.fault(`${role}: the server is read-only`);
  if (missingRights === null) return role;
  return style.fault(`${role} lacks rights; an administrator runs: ${safeLine(missingRights)}`);
}

function vectorWords({ pgvector: { state, version } }: ServerStatus): string {
  switch (state) {
    case 'used':
      return `${safeLine(version ?? '')}, used for semantic search`;
    case 'available':
      return `${safeLine(version ?? '')} is installed but not enabled; "CREATE EXTENSION vector", then "svc storage migrate", indexes vectors`;
    case 'missing':
      return 'not installed; with it, vectors are found through an index instead of comparing all of them';
  }
}

function clockWords({ clockAheadMs }: ServerStatus): string {
  const off = Math.abs(clockAheadMs);
  if (off < 1000) return 'agrees with this host';
  return `${formatDuration(off)} ${clockAheadMs > 0 ? 'ahead of' : 'behind'} this host`;
}

function replicaRow({
  name,
  host,
  state,
  lagBytes,
  lagSeconds,
}: ServerStatus['replicas'][number]): readonly string[] {
  const lag = [
    ...(lagBytes === null ? [] : [formatBytes(lagBytes)]),
    ...(lagSeconds === null ? [] : [formatDuration(lagSeconds * 1000)]),
  ];
  return [
    safeLine(name),
    safeLine(host ?? '–'),
    safeLine(state ?? '–'),
    lag.length === 0 ? 'unknown' : lag.join(', '),
  ];
}

/** The last line of `svc storage migrate`. */
export function renderMigrated({
  address,
  migrations,
  vectorIndexes,
}: StorageMigrateOutput): string {
  const where = safeLine(address);
  const done = [
    ...(migrations.length === 0
      ? []
      : [`applied ${formatCountOf(migrations.length, 'migration')}`]),
    ...(vectorIndexes.length === 0
      ? []
      : [`built ${formatCountOf(vectorIndexes.length, 'vector index', 'vector indexes')}`]),
  ];
  return done.length === 0
    ? `nothing to do: the tables on ${where} are up to date\n`
    : `${done.join(' and ')} on ${where}\n`;
}

const ORIGIN_COLUMNS = ['agent', 'origin', right('documents'), right('chunks'), 'last change'];

type OriginRow = StorageOriginsOutput['origins'][number];

/** Which hosts index into shared memories; shared by two commands. */
function originsTable(origins: readonly OriginRow[], style: Style): string {
  const rows = origins.map(({ agent, origin, documents, chunks, seenSecondsAgo }) => [
    safeLine(agent),
    safeLine(origin),
    formatCount(documents),
    formatCount(chunks),
    formatRelativeTime(-seenSecondsAgo * 1000, 0),
  ]);
  return renderTable(ORIGIN_COLUMNS, rows, { style });
}

/** Text of `svc storage origins`. */
export function renderOrigins(
  { origins, forgotten }: StorageOriginsOutput,
  { style }: View,
): string {
  const gone = forgotten.map(
    ({ agent, origin, documents }) =>
      `removed ${formatCountOf(documents, 'document')} of ${safeLine(origin)} from ${safeLine(agent)}\n`,
  );
  const left =
    origins.length === 0
      ? 'no host has indexed anything into a shared memory\n'
      : originsTable(origins, style);
  return gone.length === 0 ? left : `${gone.join('')}\n${left}`;
}

/** How often progress of one step is printed. */
const NOTE_MS = 1000;

/** Prints how far a copy is: each step once at least, and its end. @param now milliseconds on any steady clock */
export function createCopyNotes(
  note: (line: string) => void,
  now: () => number,
): (news: CopyProgress) => void {
  let printed = '';
  let printedMs = 0;
  return ({ part, step, rows, of }) => {
    const current = `${step} ${part}`;
    const nowMs = now();
    if (current === printed && rows < of && nowMs - printedMs < NOTE_MS) return;
    [printed, printedMs] = [current, nowMs];
    note(`${safeLine(part)}: ${step} ${formatCount(rows)} of ${formatCount(of)}`);
  };
}

const COPY_COLUMNS = [
  '',
  right('rows'),
  right('written'),
  right('newer there'),
  right('deleted there'),
  right('different'),
  'SHA-256, source',
  'target',
];

/** As many digits as people compare. */
const SHOWN_DIGITS = 16;

/** What was copied, and whether both stores agree. */
export function renderCopied(copied: StorageCopyOutput, style: Style): string {
  const { to, address, dryRun, verified, parts } = copied;
  const where = to === 'postgres' ? safeLine(address) : 'the SQLite files of this machine';
  if (parts.length === 0) return 'nothing to copy\n';
  if (dryRun) {
    const rows = parts.map(({ name, rows: count }) => [safeLine(name), formatCount(count)]);
    const table = renderTable(COPY_COLUMNS.slice(0, 2), rows, { style });
    return `${table}\nwould be copied to ${where}, except what is there already\n`;
  }
  const rows = parts.map(({ name, rows: count, written, newer, deleted, different, hashes }) => [
    safeLine(name),
    ...[count, written, newer, deleted, different].map(formatCount),
    (hashes?.source ?? '').slice(0, SHOWN_DIGITS),
    (hashes?.target ?? '').slice(0, SHOWN_DIGITS),
  ]);
  const wrong = parts.reduce((sum, { different }) => sum + different, 0);
  const end = verified
    ? style.ok(`copied to ${where} and verified; the source is unchanged`)
    : style.fault(
        `${formatCountOf(wrong, 'row')} of the source changed meanwhile, or differently in both stores: run it again`,
      );
  return `${renderTable(COPY_COLUMNS, rows, { style })}\n${end}\n`;
}
