import pg from 'pg';
import {
  type ErrorCode,
  messageOf,
  networkWords,
  READ_ONLY_SERVER,
  SvcError,
  systemErrorCode,
} from '../errors/index.js';
import { describeAddress, type ServerAddress } from './server-address.js';

/** A kind of failure of the server: how it is recognized, and what callers get. */
interface Fault<Kind extends string = string> {
  readonly kind: Kind;
  /** Beginnings of codes. */
  readonly codes: string;
  /** Messages of `pg` for failures without a code. */
  readonly messages?: RegExp;
  readonly error: ErrorCode;
  /** @param why what was reported */
  readonly message: (where: string, why: string) => string;
  readonly hint: string;
}

const OTHER = {
  kind: 'other',
  codes: '',
  error: 'STORAGE_FAILED',
  message: (where, why) => `PostgreSQL at ${where} failed: ${why}`,
  hint: 'its log has the details',
} as const satisfies Fault;

/** It does not answer, or the connection was lost. */
const UNREACHABLE = {
  kind: 'unreachable',
  codes: '08 EACCES EAI_ ECONN EHOST ENET ENOENT ENOTFOUND EPERM EPIPE ETIMEDOUT',
  messages: /Connection terminated|timeout e(?:xceeded|xpired)|Client was closed|not queryable/u,
  error: 'STORAGE_UNREACHABLE',
  message: (where, why) => `the PostgreSQL server ${where} does not answer: ${why}`,
  hint: 'check that it runs and that this host may connect to it',
} as const satisfies Fault;

/** It closed or refused connections; trying again helps. */
const RESTARTING = {
  ...UNREACHABLE,
  kind: 'restarting',
  // 57000: of Pgpool-II, which closed a connection because it was idle.
  codes: '25P03 57000 57P01 57P02 57P03 57P05',
  // Of Neon, while a server that was stopped is started, and of Pgpool-II. Both have no code of their own for it.
  messages:
    /couldn't connect to compute node|control plane request failed|all backend nodes are down/iu,
} as const satisfies Fault;

/** It, or a pooler in front of it, has no connection left for this one. */
const CROWDED = {
  kind: 'crowded',
  codes: '53300',
  // Of PgBouncer, Supavisor, PgCat and Neon, which have no code of their own for it, and of a server behind PgBouncer.
  messages: new RegExp(
    [
      'no more connections allowed|max client(?:s| connections) reached|could not get connection from the pool',
      'too many (?:clients|connections for|database connection attempts)|connection slots are reserved',
      '\\(ECHECKOUT(?:RETRIES|TIMEOUT)\\)',
    ].join('|'),
    'iu',
  ),
  error: 'STORAGE_UNREACHABLE',
  message: (where) => `the PostgreSQL server ${where} has no free connection`,
  hint: 'lower storage.poolSize, raise max_connections or the limit of the pooler, or use a pooler in transaction mode',
} as const satisfies Fault;

/** The hint says what to do about each kind of it. */
const NOT_ENCRYPTED = {
  kind: 'tls',
  // Those of Node.js are on https://nodejs.org/api/tls.html#x509-certificate-error-codes.
  codes: 'CERT_ CRL_ DEPTH_ZERO INVALID_CA SELF_SIGNED UNABLE_TO',
  error: 'STORAGE_REFUSED',
  message: (where, why) => `no encrypted connection to PostgreSQL at ${where}: ${why}`,
  hint: 'sslrootcert of storage.url must be the file with the certificate of the server, or of its authority',
} as const satisfies Fault;

/** What `pg` says if the server asks for a password. */
const NO_PASSWORD = /^.*client password must be a string$/u;

/** The codes are those of https://www.postgresql.org/docs/current/errcodes-appendix.html and of Node.js. */
const FAULTS = [
  {
    kind: 'timeout',
    codes: '57014 25P04',
    messages: /^Query read timeout/u,
    error: 'STORAGE_UNREACHABLE',
    message: (where) => `the PostgreSQL server ${where} did not answer in time`,
    hint: 'try again; the limit is storage.statementTimeoutSeconds, or a timeout of the role on the server',
  },
  UNREACHABLE,
  RESTARTING,
  // An administrator keeps everybody out for a while.
  {
    ...RESTARTING,
    codes: '55000',
    messages: /not currently accepting connections/u,
    message: (where) => `the PostgreSQL database ${where} accepts no connections`,
    hint: 'wait until an administrator opens it again: ALTER DATABASE … ALLOW_CONNECTIONS true',
  },
  CROWDED,
  // Two transactions were in each other's way; trying again helps.
  {
    kind: 'conflict',
    codes: '40001 40P01',
    error: 'STORAGE_BUSY',
    message: (where) => `other hosts kept changing the same rows of ${where}`,
    hint: 'try again',
  },
  // Another transaction kept a row longer than this one waits.
  {
    kind: 'locked',
    codes: '55P03',
    error: 'STORAGE_BUSY',
    message: (where) => `another host is changing the same rows of ${where}`,
    hint: 'wait for it to finish and try again',
  },
  {
    kind: 'login',
    codes: '3D000 28',
    // The other one is Supavisor's.
    messages: /SASL|tenant(?:\/| or )user\b.* not found/iu,
    error: 'STORAGE_REFUSED',
    message: (where, why) =>
      `PostgreSQL at ${where} refused the login: ${why.replace(NO_PASSWORD, 'storage.url has no password')}`,
    hint: 'check the user, the password and until when it is valid, the database, sslmode and sslcert of storage.url',
  },
  {
    ...NOT_ENCRYPTED,
    codes: 'CERT_HAS_EXPIRED CERT_NOT_YET_VALID',
    hint: 'renew the certificate of the server, or of its authority, and check the clock of this host',
  },
  {
    ...NOT_ENCRYPTED,
    codes: 'ERR_TLS_CERT_ALTNAME HOSTNAME_MISMATCH',
    hint: 'use a host name of the certificate in storage.url; sslmode=verify-ca does not check the name',
  },
  NOT_ENCRYPTED,
  {
    ...NOT_ENCRYPTED,
    codes: 'EPROTO ERR_SSL_WRONG_VERSION',
    messages: /SSL connection/u,
    hint: 'turn on TLS on the server; "sslmode=disable" in storage.url sends everything unencrypted',
  },
  // OpenSSL's: files that it cannot use, and alerts of the server, which nearly always are about the certificate of this host.
  {
    ...NOT_ENCRYPTED,
    codes: 'ERR_OSSL ERR_SSL ERR_TLS',
    hint: 'sslcert and sslkey of storage.url must be PEM files that belong together and that the server accepts, the key without a passphrase',
  },
  {
    kind: 'forbidden',
    codes: '42501',
    error: 'STORAGE_REFUSED',
    message: (where, why) => `PostgreSQL at ${where} refused: ${why}`,
    hint: 'grant the role of storage.url its rights; docs/teams.md lists them',
  },
  {
    kind: 'read_only',
    codes: READ_ONLY_SERVER,
    error: 'STORAGE_REFUSED',
    message: (where) => `PostgreSQL at ${where} is read-only`,
    hint: 'point storage.url to the primary server, and a role that can write',
  },
  {
    kind: 'full',
    codes: '53100',
    // What a new connection gets, without a code of its own, if the server cannot write its cache of the catalogs.
    messages: /could not write init file/u,
    error: 'STORAGE_FULL',
    message: (where) => `the disk of PostgreSQL at ${where} is full`,
    hint: 'free some space on the server; committed work is kept',
  },
  // A table or a column is not there.
  {
    kind: 'schema',
    codes: '42P01 42703 3F000',
    error: 'STORAGE_OUTDATED',
    message: (where, why) => `PostgreSQL at ${where} lacks tables of svc: ${why}`,
    hint: 'run "svc storage migrate"; if it has nothing to do, restore the tables from a backup',
  },
] as const satisfies readonly Fault[];

type ServerFault = Fault<(typeof FAULTS)[number]['kind'] | 'other'>;

function faultOf(error: unknown): ServerFault {
  const faults: readonly ServerFault[] = FAULTS;
  if (CROWDED.messages.test(messageOf(error))) return CROWDED;
  const code = systemErrorCode(error) ?? '';
  const byCode = faults.find(({ codes }) =>
    codes.split(' ').some((start) => code.startsWith(start)),
  );
  if (byCode !== undefined) return byCode;
  // Several addresses of a host were tried.
  if (error instanceof AggregateError) return UNREACHABLE;
  const byMessage = faults.find(({ messages }) => messages?.test(messageOf(error)) === true);
  return byMessage ?? (isBroken(error) ? RESTARTING : OTHER);
}

/** Whether an internal error ended the connection, as all of Supavisor's do (github.com/supabase/supavisor). */
function isBroken(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  const { severity = '', code = '' } = error;
  return /^(?:FATAL|PANIC)$/u.test(severity) && code.startsWith('XX');
}

/** Classifies anything thrown while using the server. */
export function serverFault(error: unknown): ServerFault['kind'] {
  return faultOf(error).kind;
}

/** Kinds after which there is no connection. */
const WITHOUT_CONNECTION: ReadonlySet<ServerFault['kind']> = new Set([
  'crowded',
  'restarting',
  'unreachable',
]);

/** Whether a failure ended or refused the connection, so that nothing uncommitted was done. */
export function isConnectionLost(error: unknown): boolean {
  return WITHOUT_CONNECTION.has(serverFault(error));
}

/** The error that callers get; one of svc's own stays as it is. */
export function asServerError(error: unknown, address: ServerAddress): SvcError {
  if (error instanceof SvcError) return error;
  const { error: code, message, hint } = faultOf(error);
  return new SvcError(code, message(describeAddress(address), reasonOf(error)), {
    hint,
    cause: error,
  });
}

/** What `pg` and Node.js say of a connection that was lost, or did not come about. */
const DRIVER_WORDS: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:Client .* is not queryable|Connection terminated(?: unexpectedly)?)$/u,
    'the connection was lost',
  ],
  [
    /^(?:Connection terminated due to connection timeout|timeout e(?:xceeded .*|xpired))$/u,
    'connection timed out',
  ],
  [/^connect ENOENT /u, 'its socket does not exist'],
  [/^connect EACCES /u, 'permission denied'],
];

/** What was reported, in plain words. */
function reasonOf(error: unknown): string {
  // An AggregateError has no message of its own.
  const [first] = error instanceof AggregateError ? error.errors : [error];
  const code = systemErrorCode(first) ?? '';
  const reported = messageOf(first) || code || 'no connection';
  const [, words] = DRIVER_WORDS.find(([pattern]) => pattern.test(reported)) ?? [];
  return words ?? networkWords(code, reported).message;
}
