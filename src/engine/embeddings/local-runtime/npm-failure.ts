import { SvcError } from '../../errors/index.js';
import type { ProgramRun } from './run-program.js';

interface Reading {
  readonly reason: 'disk_full' | 'network' | 'npm' | 'permission' | 'platform' | 'registry';
  readonly hint: string;
}

/** What npm's error codes mean here (docs.npmjs.com, "Common errors"; the rest are the system's). */
const READINGS: readonly (readonly [codes: RegExp, reading: Reading])[] = [
  [
    /^(?:ENOSPC|EDQUOT)$/u,
    { reason: 'disk_full', hint: 'free about 200 MB (800 MB with --gpu) and try again' },
  ],
  [
    /^(?:ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET_TIMEOUT|FETCH_ERROR|EPROTO)$|CERT|SIGNATURE/u,
    {
      reason: 'network',
      hint: 'check the connection, and the proxy and registry that "npm config list" shows; then try again',
    },
  ],
  [
    /^(?:E401|E403|E404|ETARGET|ENOVERSIONS|EINTEGRITY|E5\d\d)$/u,
    {
      reason: 'registry',
      hint: 'the registry that "npm config get registry" names must serve node-llama-cpp; another one can be set there',
    },
  ],
  [
    /^(?:EBADPLATFORM|EBADENGINE)$/u,
    { reason: 'platform', hint: 'use another provider: svc provider list shows them' },
  ],
  [
    /^(?:EACCES|EPERM|EROFS)$/u,
    { reason: 'permission', hint: 'check who owns the state folder and the cache folder of npm' },
  ],
];

const OTHER: Reading = { reason: 'npm', hint: 'mend what npm says, and try again' };

/** The error for an npm that failed, from the codes and words on its stderr. */
export function npmFailure(run: ProgramRun): SvcError {
  const code = /^npm (?:error|ERR!) code (\S+)$/mu.exec(run.stderr)?.[1];
  const found = READINGS.find(([codes]) => code !== undefined && codes.test(code));
  const { reason, hint } = found?.[1] ?? OTHER;
  const words = wordsOf(run.stderr);
  const how = run.signal === null ? `with code ${run.code}` : `by ${run.signal}`;
  return new SvcError(
    'PROVIDER_INSTALL_FAILED',
    `npm ended ${how}${words === '' ? '' : `: ${words}`}`,
    { hint, details: { reason, ...(code === undefined ? {} : { npmCode: code }) } },
  );
}

const MAX_WORDS = 300;

/** npm's own words on one line, without its codes, the name of its log and what an address may carry. */
function wordsOf(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => /^npm (?:error|ERR!)(?: (.*))?$/u.exec(line)?.[1]?.trim() ?? '')
    .filter((line) => line !== '' && !/^(?:code|errno|syscall|path) |complete log/iu.test(line));
  return lines
    .join(' ')
    .replaceAll(/\/\/[^/@\s]+@/gu, '//')
    .replaceAll(/\?\S+/gu, '')
    .slice(0, MAX_WORDS);
}
