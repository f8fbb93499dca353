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
  { style, homeDir, hintFor }: View,
): string {
  const fields: readonly Field[] = [
    ...indexes.map((file) => ['index', shownPath(file, homeDir)] as const),
    ['flows', shownPath(flows, homeDir)],
  ];
  return [
    'memories and flows are stored in SQLite files on this machine',
    ...fieldLines(fields, style),
    '',
    hintFor(
      'To share them among several hosts, set a PostgreSQL server: svc config set storage.url env:SVC_DATABASE_URL',
    ),
    '',
  ].join('\n');
}

function serverParts(server: ServerStatus, view: View): readonly string[] {
  const { style, nowMs } = view;
  const { address, sizes, connections, replicas } = server;
  const fields: readonly Field[] = [
    ['version', versionWords(server, style)],
    ['tables', tableWords(server, view)],
    ['role', roleWords(server, style)],
    ['pgvector', vectorWords(server, view)],
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
  const head = `PostgreSQL at ${style.bold(safeLine(address))}`;
  const clients = connections.clients.map((client) => [
    safeLine(client.application || '–'),
    safeLine(client.host ?? 'this server'),
    formatCount(client.connections),
    client.since === null
      ? '–'
      : formatRelativeTime(Date.parse(client.since), nowMs + server.clockAheadMs),
  ]);
  return [
    `${[head, ...fieldLines(fields, style)].join('\n')}\n`,
    renderTable(CLIENT_COLUMNS, clients, { style }),
    ...(replicas.length === 0
      ? []
      : [renderTable(REPLICA_COLUMNS, replicas.map(replicaRow), { style })]),
  ];
}

function versionWords({ supported, version }: ServerStatus, style: Style): string {
  if (supported) return safeLine(version);
  return style.fault(`${safeLine(version)}; svc needs PostgreSQL 15 or newer`);
}

function tableWords(server: ServerStatus, { style, hintFor }: View): string {
  const { schemaVersion, knownSchemaVersion, pending } = server;
  if (schemaVersion > knownSchemaVersion) {
    return style.fault(
      `version ${schemaVersion}, made by a newer svc; this one knows ${knownSchemaVersion}: update it`,
    );
  }
  if (pending.length === 0) return `version ${schemaVersion}, up to date`;
  const current = schemaVersion === 0 ? 'none yet' : `version ${schemaVersion}`;
  const migrations = formatCountOf(pending.length, 'migration');
  return style.warning(hintFor(`${current}, ${migrations} pending: run "svc storage migrate"`));
}

function roleWords({ user, readOnly, missingRights }: ServerStatus, style: Style): string {
  const role = safeLine(user);
  if (readOnly) return style.fault(`${role}: the server is read-only`);
  if (missingRights === null) return role;
  return style.fault(`${role} lacks rights; an administrator runs: ${safeLine(missingRights)}`);
}

function vectorWords({ pgvector: { state, version } }: ServerStatus, { hintFor }: View): string {
  const name = safeLine(version ?? '');
  return {
    used: `${name}, used for semantic search`,
    available: hintFor(
      `${name} is installed but not enabled; "CREATE EXTENSION vector", then "svc storage migrate", indexes vectors`,
    ),
    missing:
      'not installed; with it, vectors are found through an index instead of comparing all of them',
  }[state];
}

function clockWords({ clockAheadMs }: ServerStatus): string {
  const differenceMs = Math.abs(clockAheadMs);
  if (differenceMs < 1000) return 'agrees with this host';
  return `${formatDuration(differenceMs)} ${clockAheadMs > 0 ? 'ahead of' : 'behind'} this host`;
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
export function renderMigration({
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
  const removals = forgotten.map(
    ({ agent, origin, documents }) =>
      `removed ${formatCountOf(documents, 'document')} of ${safeLine(origin)} from ${safeLine(agent)}\n`,
  );
  const list =
    origins.length === 0
      ? 'no host has indexed anything into a shared memory\n'
      : originsTable(origins, style);
  return removals.length === 0 ? list : `${removals.join('')}\n${list}`;
}

/** How often progress of one step is printed. */
const PRINT_EVERY_MS = 1000;

/**
 * Prints the progress of a copy: at least once for each step, and when the step is done.
 *
 * @param now milliseconds on any steady clock
 */
export function createCopyProgress(
  print: (line: string) => void,
  now: () => number,
): (progress: CopyProgress) => void {
  let lastStep = '';
  let lastPrintMs = 0;
  return ({ part, step, rows, of }) => {
    const currentStep = `${step} ${part}`;
    const nowMs = now();
    if (currentStep === lastStep && rows < of && nowMs - lastPrintMs < PRINT_EVERY_MS) return;
    lastStep = currentStep;
    lastPrintMs = nowMs;
    print(`${safeLine(part)}: ${step} ${formatCount(rows)} of ${formatCount(of)}`);
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

/** Digits of a hash: as many as people compare. */
const HASH_DIGITS = 16;

/** What was copied, and whether both stores agree. */
export function renderCopy(
  { to, address, dryRun, verified, parts }: StorageCopyOutput,
  style: Style,
): string {
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
    (hashes?.source ?? '').slice(0, HASH_DIGITS),
    (hashes?.target ?? '').slice(0, HASH_DIGITS),
  ]);
  const differing = parts.reduce((sum, { different }) => sum + different, 0);
  const end = verified
    ? style.ok(`copied to ${where} and verified; the source is unchanged`)
    : style.fault(
        `${formatCountOf(differing, 'row')} of the source changed meanwhile, or differently in both stores: run it again`,
      );
  return `${renderTable(COPY_COLUMNS, rows, { style })}\n${end}\n`;
}
