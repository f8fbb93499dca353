import { runProgram, wholeEnvironment } from '../child/index.js';
import type { EngineContext } from '../support/context.js';
import { findNpm, npmFailure } from './npm.js';

/** What npm needs to ask its registry. */
export interface AskOptions {
  readonly env: EngineContext['env'];
  readonly homeDir: string;
  readonly nodePath: string;
  readonly signal: AbortSignal;
}

const MOST_BYTES = 10_000;
/** npm would wait for minutes. */
const LIMITS = ['--fetch-retries=0', '--fetch-timeout=15000'];

/**
 * The newest release of svc, which npm asks its registry for: it knows the credentials and the proxy.
 *
 * @throws SvcError UPGRADE_CHECK_FAILED; the signal's reason
 */
export async function newestVersion(name: string, options: AskOptions): Promise<string> {
  const { env, homeDir, nodePath, signal } = options;
  const subject = {
    name,
    package: name,
    version: 'latest',
    code: 'UPGRADE_CHECK_FAILED',
    space: '10 MB',
    elsewhere: 'check the releases of svc',
  } as const;
  const npm = findNpm({ env, nodePath }, subject);
  const end = await runProgram({
    command: [
      npm.command,
      ...npm.args,
      'view',
      `${name}@latest`,
      'version',
      '--loglevel=error',
      ...LIMITS,
    ],
    env: wholeEnvironment(env),
    // A folder of someone else could name another registry.
    cwd: homeDir,
    maxOutputBytes: MOST_BYTES,
    stderrBytes: MOST_BYTES,
    signal,
  });
  const version = end.kind === 'exited' && end.exitCode === 0 ? end.stdout.toString().trim() : '';
  if (!/^\d+\.\d+\.\d+(?:-[\w.-]+)?$/u.test(version)) throw npmFailure(end, subject);
  return version;
}
