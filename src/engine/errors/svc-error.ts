import type { ErrorCode, WarningCode } from './codes.js';

/** A place in a text file; line and column are 1-based. */
export interface SourceLocation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface SvcErrorOptions {
  /** What to do about it: an imperative sentence or a command. */
  readonly hint?: string | undefined;
  readonly location?: SourceLocation | undefined;
  /** Machine-readable extras for `--json`; must be plain JSON and free of secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * The error of every expected failure. Any other error that leaves the engine is reported as a bug.
 */
export class SvcError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly location: SourceLocation | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, options: SvcErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'SvcError';
    this.code = code;
    this.hint = options.hint;
    this.location = options.location;
    this.details = options.details;
  }
}

/** For `.catch()`, where others report an SvcError. @throws any other error */
export function skipSvcError(error: unknown): undefined {
  if (!(error instanceof SvcError)) throw error;
}

/** What work returns; undefined if it throws an SvcError, which others report. */
export function unlessSvcError<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    return skipSvcError(error);
  }
}

/** A problem that does not fail the command. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** The `code` of a Node.js system error (`ENOENT`, `EACCES`, …), or undefined for anything else. */
export function systemErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Whether an error is the file system's or SQLite's (`errno(3)`, `SQLITE_…`); Node's own (`ERR_…`) indicate bugs. */
export function isSystemError(error: unknown): boolean {
  return /^(?:E[A-Z0-9]+|SQLITE_\w+)$/.test(systemErrorCode(error) ?? '');
}

/** OpenSSL describes the bytes of an answer in plain HTTP as a fault of the protocol. An alert is an answer in TLS. */
const NOT_TLS = /^(?:EPROTO$|ERR_SSL_(?!\S*_ALERT_))/u;

/** Whether the code of an error means that a server does not answer with TLS. */
export function isWithoutTls(code: string): boolean {
  return NOT_TLS.test(code);
}

/** What it means if {@link isWithoutTls}. */
export const WITHOUT_TLS_REASON = 'it does not answer with TLS';

/** Code of an error of the proxy, not of what it should have led to. */
export const PROXY_FAULT = 'EPROXY';

/** The code of PostgreSQL for changes of a standby, which answers after a failover until it is promoted. */
export const READ_ONLY_SERVER = '25006';

const SHORTAGES: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE']);

/** Whether the process or the system has run out of file handles. */
export function isHandleShortage(error: unknown): boolean {
  return SHORTAGES.has(systemErrorCode(error) ?? '');
}

const HANDLES_HINT =
  'raise the limit of open files (ulimit -n), or stop processes that keep many open';

export function handlesExhausted(cause: unknown): SvcError {
  const whose = systemErrorCode(cause) === 'ENFILE' ? 'the system' : 'this process';
  return new SvcError('HANDLES_EXHAUSTED', `${whose} has no file handles left`, {
    hint: HANDLES_HINT,
    cause,
  });
}

/**
 * What to do where macOS refuses what permissions allow: it guards Desktop, Documents, Downloads, iCloud Drive and other
 * disks from each program, and locked files from their owner. Undefined for other errors, and elsewhere.
 */
export function privacyHint(error: unknown): string | undefined {
  if (process.platform !== 'darwin' || systemErrorCode(error) !== 'EPERM') return undefined;
  return 'allow the app that runs svc, such as your terminal, in System Settings > Privacy & Security > Files and Folders or Full Disk Access; a file can also be locked in Finder';
}

/** Hints for system errors that no part of svc explains in its own words. */
const SYSTEM_HINTS = [
  [/^(?:ENOSPC|EDQUOT|SQLITE_FULL|SQLITE_IOERR_SHMSIZE)\b/u, 'free some space and try again'],
  [
    /^(?:EACCES|EPERM|EROFS|SQLITE_CANTOPEN|SQLITE_READONLY|SQLITE_PERM)/u,
    'check the owner and the permissions of the file and its folder; "svc version --verbose" prints the state folder, and "svc config doctor" checks it',
  ],
  [
    /^(?:EEXIST|EISDIR|ENOTDIR)\b/u,
    'a file is in the place of a folder, or a folder in the place of a file: move it away',
  ],
  [/^(?:EIO|ESTALE|SQLITE_IOERR)/u, 'check the disk; the log of the system has the details'],
  // A container mounts a file on its own, and nothing can be renamed over it.
  [
    /^EBUSY\b/u,
    'if the file is mounted on its own, mount its folder instead; if not, close the program that uses it',
  ],
  [/^(?:EMFILE|ENFILE)\b/u, HANDLES_HINT],
  [/^EFBIG\b/u, 'raise the limit of file sizes (ulimit -f), or make the file smaller'],
  [/^ELOOP\b/u, 'fix the link'],
  [/^ENAMETOOLONG\b/u, 'use a shorter path'],
  [/ uv_cwd$/u, 'the current folder was deleted: change to another one with cd'],
  [
    /^ENOENT mkdir$/u,
    'this folder cannot be created: check the one above it; "svc version --verbose" prints the state folder',
  ],
] as const;

/**
 * Anything thrown as an error with a hint, also where only the system refused: no space, no permission,
 * a folder that is gone, or a file of svc itself. Undefined for errors that svc does not expect.
 */
export function asSvcError(error: unknown): SvcError | undefined {
  if (error instanceof SvcError) return error;
  if (systemErrorCode(error) === 'MODULE_NOT_FOUND') return programChanged(error);
  const call = error instanceof Error && 'syscall' in error ? ` ${String(error.syscall)}` : '';
  const codeAndCall = `${systemErrorCode(error) ?? ''}${call}`;
  const known = SYSTEM_HINTS.find(([pattern]) => pattern.test(codeAndCall))?.[1];
  const hint = privacyHint(error) ?? known;
  if (hint === undefined) return undefined;
  const message = call === ' uv_cwd' ? 'the current folder does not exist' : messageOf(error);
  return new SvcError('SYSTEM_REFUSED', message, { hint, cause: error });
}

/** Servers run for weeks, and load parts of svc when they are first used. */
function programChanged(cause: unknown): SvcError {
  // The list of files that required it follows on other lines.
  const [reason] = messageOf(cause).split('\n');
  return new SvcError('PROGRAM_CHANGED', `a part of svc cannot be loaded: ${reason}`, {
    hint: 'svc was replaced while it was running, for example by an upgrade: restart it; if that fails, install it again',
    cause,
  });
}

/** Whether a shared server is the reason: it does not answer, refuses, or cannot be used. */
export function isStorageFailure(error: unknown): error is SvcError {
  return error instanceof SvcError && error.code.startsWith('STORAGE_');
}

/** The message of anything that was thrown. Errors of files are worded: `/notes/a.md: permission denied`. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!SYSTEM_MESSAGE.test(error.message)) return error.message;
  const reason = systemReason(error);
  return 'path' in error && typeof error.path === 'string' ? `${error.path}: ${reason}` : reason;
}

/** Why a file cannot be used, for messages that name it: `permission denied`, `the disk is full`. */
export function systemReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const code = systemErrorCode(error) ?? '';
  return SYSTEM_REASONS.get(code) ?? SYSTEM_MESSAGE.exec(message)?.[1] ?? message;
}

/** How Node.js words errors of files: `EIO: i/o error, read`. */
const SYSTEM_MESSAGE = /^E[A-Z\d]+: ([^,]+), \w+/u;

const SYSTEM_REASONS: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['ENOENT', 'no such file or folder'],
  ['EISDIR', 'it is a folder'],
  ['EFTYPE', 'it is not a regular file'],
  ['EFBIG', 'it is too large'],
  ['ENOTDIR', 'part of its path is not a folder'],
  ['EEXIST', 'a file is in the place of a folder'],
  ['ENOTEMPTY', 'the folder is not empty'],
  ['ELOOP', 'a symbolic link leads back to itself'],
  ['ENAMETOOLONG', 'the name is too long'],
  ['EBUSY', 'it is in use, or mounted on its own'],
  ['EROFS', 'the file system is read-only'],
  ['SQLITE_READONLY', 'it is read-only'],
  // Where its folder cannot be written.
  ['SQLITE_READONLY_DIRECTORY', 'permission denied'],
  ['ENOSPC', 'the disk is full'],
  ['SQLITE_FULL', 'the disk is full'],
  ['SQLITE_IOERR_SHMSIZE', 'the disk is full'],
  ['EDQUOT', 'the disk quota is exceeded'],
  ['EMFILE', 'this process has no file handles left'],
  ['ENFILE', 'the system has no file handles left'],
]);

/** The fields of a log line for an error; an invalid configuration is logged with the place of every fault. */
export function faultFields(error: unknown): Readonly<Record<string, unknown>> {
  const known = asSvcError(error);
  if (known === undefined) return { err: error };
  const { code, location, details, hint } = known;
  const faults = details?.['faults'];
  return {
    code,
    ...(location === undefined ? {} : { at: placeOf(location) }),
    ...(Array.isArray(faults) ? { faults: faults.flatMap(faultWords) } : {}),
    ...(hint === undefined ? {} : { hint }),
  };
}

/**
 * For work that is tried again and again: logs why it fails, unless that is as before.
 *
 * @param what such as `could not claim tasks`
 * @returns takes each failure, and undefined when it works
 */
export function failureLogger(
  log: Readonly<Record<'error' | 'warn', (fields: object, message: string) => void>>,
  what: string,
  level: 'error' | 'warn' = 'error',
) {
  let last: string | undefined;
  return (error: unknown): void => {
    const message = error === undefined ? undefined : messageOf(error);
    if (message !== undefined && message !== last) {
      log[level](faultFields(error), `${what}: ${message}`);
    }
    last = message;
  };
}

function faultWords(fault: unknown): readonly string[] {
  if (typeof fault !== 'object' || fault === null) return [];
  if (!('message' in fault && 'location' in fault && 'path' in fault)) return [];
  const { location, message, path } = fault;
  return [`${placeOf(location)} ${String(path)}: ${String(message)}`];
}

function placeOf(location: unknown): string {
  if (typeof location !== 'object' || location === null) return '';
  const { file, line, column } = { file: '', line: 0, column: 0, ...location };
  return `${file}:${line}:${column}`;
}
