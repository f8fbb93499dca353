import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ProgramEnd } from '../child/run-program.js';
import { SvcError } from '../errors/index.js';
import { pathFolders } from '../support/paths.js';

/** What npm is run for, for messages. */
export interface InstallSubject {
  /** Of its folders and files. */
  readonly name: string;
  /** The package that svc loads. */
  readonly package: string;
  readonly version: string;
  /** Of its errors. */
  readonly code: 'LIBRARY_INSTALL_FAILED' | 'PROVIDER_INSTALL_FAILED' | 'UPGRADE_CHECK_FAILED';
  /** How much to free: `200 MB`. */
  readonly space: string;
  /** What to do where it cannot run. */
  readonly elsewhere: string;
}

export interface FindNpmOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `process.execPath`. */
  readonly nodePath: string;
}

const CLI = 'npm-cli.js';

/**
 * Finds npm: the one that started svc, the one bundled with Node.js, or the one on the PATH.
 *
 * @returns the program, and what comes before npm's own arguments
 * @throws SvcError the code of the subject if there is none
 */
export function findNpm({ env, nodePath }: FindNpmOptions, { code }: Pick<InstallSubject, 'code'>) {
  const bundled = [npmThatStarted(env), ...npmNextToNode(nodePath)].find(
    (path) => path !== undefined && existsSync(path),
  );
  if (bundled !== undefined) return { command: nodePath, args: [bundled] };
  for (const dir of pathFolders(env)) {
    // On Windows `npm` is a batch file, which needs a shell.
    const script = join(dir, 'node_modules', 'npm', 'bin', CLI);
    if (existsSync(script)) return { command: nodePath, args: [script] };
    const program = join(dir, 'npm');
    if (existsSync(program)) return { command: program, args: [] };
  }
  throw new SvcError(code, 'npm not found', {
    hint: 'install npm (included with Node.js) or add its folder to PATH, then try again',
    details: { reason: 'npm_missing' },
  });
}

/** Other package managers set this variable too. */
function npmThatStarted(env: FindNpmOptions['env']): string | undefined {
  const path = env['npm_execpath'];
  return path !== undefined && basename(path) === CLI ? path : undefined;
}

function npmNextToNode(nodePath: string): string[] {
  const dir = dirname(nodePath);
  const below = join('node_modules', 'npm', 'bin', CLI);
  return [join(dir, '..', 'lib', below), join(dir, below)];
}

interface FailureKind {
  readonly reason: 'disk_full' | 'network' | 'npm' | 'permission' | 'platform' | 'registry';
  readonly hint: (subject: InstallSubject) => string;
}

/** npm's error codes (docs.npmjs.com, "Common errors"; the rest are the system's). */
const FAILURE_KINDS: readonly (readonly [codes: RegExp, kind: FailureKind])[] = [
  [
    /^(?:ENOSPC|EDQUOT)$/u,
    { reason: 'disk_full', hint: ({ space }) => `free about ${space}, then try again` },
  ],
  [
    /^(?:ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET_TIMEOUT|FETCH_ERROR|EPROTO)$|CERT|SIGNATURE/u,
    {
      reason: 'network',
      hint: () =>
        'check the connection, and the proxy and registry that "npm config list" shows; then try again',
    },
  ],
  [
    /^(?:E401|E403|E404|ETARGET|ENOVERSIONS|EINTEGRITY|E5\d\d)$/u,
    {
      reason: 'registry',
      hint: (subject) =>
        `use a registry that serves ${subject.package}; see "npm config get registry"`,
    },
  ],
  [/^(?:EBADPLATFORM|EBADENGINE)$/u, { reason: 'platform', hint: ({ elsewhere }) => elsewhere }],
  [
    /^(?:EACCES|EPERM|EROFS)$/u,
    {
      reason: 'permission',
      hint: () => "check the owner of the state folder and of npm's cache folder",
    },
  ],
];

const OTHER: FailureKind = {
  reason: 'npm',
  hint: () => 'fix the problem npm reports, then try again',
};

/** The error of a failed npm, from its stderr. */
export function npmFailure(end: ProgramEnd, subject: InstallSubject): SvcError {
  const stderr = end.stderr.toString();
  const code = /^npm (?:error|ERR!) code (\S+)$/mu.exec(stderr)?.[1];
  const kind = FAILURE_KINDS.find(([codes]) => code !== undefined && codes.test(code));
  const { reason, hint } = kind?.[1] ?? OTHER;
  const words = wordsOf(stderr);
  return new SvcError(
    subject.code,
    `npm failed ${howEnded(end)}${words === '' ? '' : `: ${words}`}`,
    { hint: hint(subject), details: { reason, ...(code === undefined ? {} : { npmCode: code }) } },
  );
}

const MAX_WORDS = 300;

/** npm's message on one line, without codes, stack traces, the log file's name and secrets in URLs. */
function wordsOf(stderr: string): string {
  const [message = ''] = stderr.split(/^npm (?:error|ERR!)\s+at /mu);
  const lines = message
    .split('\n')
    // Some messages have their kind in front of each line.
    .map((line) => /^npm (?:error|ERR!)(?: (?:network|[45]\d\d)\b)?(.*)$/u.exec(line)?.[1] ?? '')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(?:code|errno|syscall|path) |complete log/iu.test(line));
  return lines
    .join(' ')
    .replaceAll(/\/\/[^/@\s]+@/gu, '//')
    .replaceAll(/\?\S+/gu, '')
    .slice(0, MAX_WORDS);
}

/** How a program that failed has ended, for people. */
export function howEnded(end: ProgramEnd): string {
  switch (end.kind) {
    case 'exited':
      return `with code ${end.exitCode}`;
    case 'signalled':
      return `by ${end.signal}`;
    case 'not-started':
      return `to start (${end.code})`;
    case 'killed':
      return 'and printed too much';
  }
}
