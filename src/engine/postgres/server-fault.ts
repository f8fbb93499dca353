import { messageOf, SvcError, systemErrorCode } from '../errors/index.js';
import { describeAddress, type ServerAddress } from './server-address.js';

/** What a failure of the server means. */
export type ServerFault =
  /** It does not answer, or the connection was lost. */
  | 'unreachable'
  /** It closed or refused connections; trying again helps. */
  | 'restarting'
  /** Two transactions were in each other's way; trying again helps. */
  | 'conflict'
  /** Another transaction kept a row longer than this one waits. */
  | 'locked'
  /** It does not accept the user, the password or the database. */
  | 'login'
  /** It has no TLS, or a certificate that is not trusted. */
  | 'tls'
  /** The role lacks a right. */
  | 'forbidden'
  | 'read_only'
  | 'full'
  | 'timeout'
  /** A table or a column is not there. */
  | 'schema'
  | 'other';

/** Classes and codes of https://www.postgresql.org/docs/current/errcodes-appendix.html; longer ones first. */
const FAULTS: readonly (readonly [string, ServerFault])[] = [
  ['57P01', 'restarting'],
  ['57P02', 'restarting'],
  ['57P03', 'restarting'],
  ['53300', 'restarting'],
  ['25006', 'read_only'],
  ['40001', 'conflict'],
  ['40P01', 'conflict'],
  ['55P03', 'locked'],
  ['53100', 'full'],
  ['42501', 'forbidden'],
  ['42P01', 'schema'],
  ['42703', 'schema'],
  ['3F000', 'schema'],
  ['57014', 'timeout'],
  ['25P04', 'timeout'],
  ['3D000', 'login'],
  ['28', 'login'],
  // Of Node.js (https://nodejs.org/api/tls.html#x509-certificate-error-codes) and of OpenSSL.
  ['CERT_', 'tls'],
  ['CRL_', 'tls'],
  ['DEPTH_ZERO', 'tls'],
  ['EPROTO', 'tls'],
  ['ERR_SSL', 'tls'],
  ['ERR_TLS', 'tls'],
  ['HOSTNAME_MISMATCH', 'tls'],
  ['INVALID_CA', 'tls'],
  ['SELF_SIGNED', 'tls'],
  ['UNABLE_TO', 'tls'],
  ['08', 'unreachable'],
  ['ECONN', 'unreachable'],
  ['EHOST', 'unreachable'],
  ['ENET', 'unreachable'],
  ['ENOTFOUND', 'unreachable'],
  ['EAI_AGAIN', 'unreachable'],
  ['ETIMEDOUT', 'unreachable'],
  ['EPIPE', 'unreachable'],
  ['ENOENT', 'unreachable'],
];

/** The messages of `pg` for failures without a code. */
const MESSAGES: readonly (readonly [RegExp, ServerFault])[] = [
  [/^Query read timeout/u, 'timeout'],
  [
    /Connection terminated|timeout e(?:xceeded|xpired)|Client was closed|not queryable/u,
    'unreachable',
  ],
  [/password must be a string|SASL/u, 'login'],
  [/SSL connection/u, 'tls'],
];

/** Classifies anything thrown while using the server. */
export function serverFault(error: unknown): ServerFault {
  const code = systemErrorCode(error) ?? '';
  const byCode = FAULTS.find(([prefix]) => code.startsWith(prefix));
  if (byCode !== undefined) return byCode[1];
  // Several addresses of a host were tried.
  if (error instanceof AggregateError) return 'unreachable';
  const message = messageOf(error);
  return MESSAGES.find(([pattern]) => pattern.test(message))?.[1] ?? 'other';
}

/** Whether a failure ended the connection, so that nothing uncommitted was done. */
export function lostConnection(error: unknown): boolean {
  const fault = serverFault(error);
  return fault === 'unreachable' || fault === 'restarting';
}

/** The error that callers get; one of svc's own stays as it is. */
export function asServerError(error: unknown, address: ServerAddress): SvcError {
  if (error instanceof SvcError) return error;
  const where = describeAddress(address);
  const why = messageOf(error);
  const cause = { cause: error };
  switch (serverFault(error)) {
    case 'unreachable':
    case 'restarting':
      return new SvcError(
        'STORAGE_UNREACHABLE',
        `the PostgreSQL server ${where} does not answer: ${unreachableBecause(error)}`,
        {
          hint: 'check that it runs and that this host may connect to it; "svc storage status" tests it',
          ...cause,
        },
      );
    case 'timeout':
      return new SvcError(
        'STORAGE_UNREACHABLE',
        `the PostgreSQL server ${where} did not answer in time`,
        { hint: 'try again; storage.statementTimeoutSeconds is the limit', ...cause },
      );
    case 'conflict':
      return new SvcError('STORAGE_BUSY', `other hosts kept changing the same rows of ${where}`, {
        hint: 'try again',
        ...cause,
      });
    case 'locked':
      return new SvcError('STORAGE_BUSY', `another host is changing the same rows of ${where}`, {
        hint: 'wait for it to finish and try again',
        ...cause,
      });
    case 'login':
      return new SvcError('STORAGE_REFUSED', `PostgreSQL at ${where} refused the login: ${why}`, {
        hint: 'check the user, the password and the database of storage.url',
        ...cause,
      });
    case 'tls':
      return new SvcError(
        'STORAGE_REFUSED',
        `no encrypted connection to PostgreSQL at ${where}: ${why}`,
        {
          hint: 'check sslmode and sslrootcert of storage.url; "sslmode=disable" sends everything unencrypted',
          ...cause,
        },
      );
    case 'forbidden':
      return new SvcError('STORAGE_REFUSED', `PostgreSQL at ${where} refused: ${why}`, {
        hint: 'grant the role of storage.url its rights; docs/teams.md lists them',
        ...cause,
      });
    case 'read_only':
      return new SvcError('STORAGE_REFUSED', `PostgreSQL at ${where} is read-only`, {
        hint: 'point storage.url to the primary server',
        ...cause,
      });
    case 'full':
      return new SvcError('STORAGE_FULL', `the disk of PostgreSQL at ${where} is full`, {
        hint: 'free some space on the server; committed work is kept',
        ...cause,
      });
    case 'schema':
      return new SvcError(
        'STORAGE_OUTDATED',
        `PostgreSQL at ${where} lacks tables of svc: ${why}`,
        { hint: 'run "svc storage migrate"', ...cause },
      );
    case 'other':
      return new SvcError('STORAGE_FAILED', `PostgreSQL at ${where} failed: ${why}`, {
        hint: 'its log has the details',
        ...cause,
      });
  }
}

/** An AggregateError has no message of its own. */
function unreachableBecause(error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  return messageOf(first) || (systemErrorCode(first) ?? 'no connection');
}
