import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { wholeEnvironment } from '../child/program.js';
import { runProgram } from '../child/run-program.js';
import { SvcError } from '../errors/index.js';
import { findNpm, npmFailure } from '../install/npm.js';
import type { EngineContext } from '../support/context.js';
import { shellWord } from '../support/text.js';
import { programVersion } from './about.js';
import type { UpgradeOutput } from './output-schemas.js';

/** What npm needs to ask its registry. */
interface AskOptions {
  readonly env: EngineContext['env'];
  readonly nodePath: string;
  readonly signal: AbortSignal;
}

/**
 * How to upgrade this installation.
 *
 * @param ask what npm needs to look for the newest version; without it, npm is not asked
 * @throws SvcError UPGRADE_CHECK_FAILED; the signal's reason
 */
export async function describeUpgrade(
  root: string,
  ask: AskOptions | undefined,
): Promise<UpgradeOutput> {
  const name = packageName(root);
  const installed = programVersion(root);
  const newest = ask === undefined ? null : await newestVersion(root, name, ask);
  const isOutdated = newest === null ? null : isNewer(newest, installed);
  return { installed, newest, isOutdated, ...howToUpgrade(root, name) };
}

function howToUpgrade(root: string, name: string): Pick<UpgradeOutput, 'command' | 'installation'> {
  if (existsSync(join(root, '.git'))) {
    // svc itself builds only what was never built.
    const command = `cd ${shellWord(resolve(root))} && git pull && npm start -- --version`;
    return { installation: 'checkout', command };
  }
  return isGlobalNpm(root, name)
    ? { installation: 'npm', command: `npm install -g ${name}@latest` }
    : { installation: 'other', command: null };
}

/** Projects, npx, pnpm and Homebrew have packages in folders of the same name, and another command. */
function isGlobalNpm(root: string, name: string): boolean {
  if (!root.endsWith(join('node_modules', name))) return false;
  const isProject = existsSync(join(root, '../../package.json'));
  return !isProject && !/[\\/](?:\.pnpm|Cellar)[\\/]/u.test(root);
}

function packageName(root: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return String(Reflect.get(Object(manifest), 'name'));
}

/** Compares two semantic versions; one with a suffix is older than the same without. */
function isNewer(a: string, b: string): boolean {
  const [numbersA = '', suffixA] = a.split(/-(.*)/u);
  const [numbersB = '', suffixB] = b.split(/-(.*)/u);
  const order = new Intl.Collator('en', { numeric: true });
  const byNumbers = order.compare(numbersA, numbersB);
  if (byNumbers !== 0 || suffixA === suffixB) return byNumbers > 0;
  if (suffixA === undefined || suffixB === undefined) return suffixA === undefined;
  return order.compare(suffixA, suffixB) > 0;
}

const MOST_BYTES = 10_000;
/** npm would wait for minutes. */
const LIMITS = ['--fetch-retries=0', '--fetch-timeout=15000'];

/**
 * The newest release of svc, which npm asks its registry for: it knows the credentials and the proxy.
 *
 * @throws SvcError UPGRADE_CHECK_FAILED; the signal's reason
 */
async function newestVersion(root: string, name: string, options: AskOptions): Promise<string> {
  const { env, nodePath, signal } = options;
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
      '--no-json',
      '--loglevel=error',
      ...LIMITS,
    ],
    env: wholeEnvironment(env),
    // The current folder may be someone else's and name another registry; users of services have no home folder.
    cwd: root,
    maxOutputBytes: MOST_BYTES,
    stderrBytes: MOST_BYTES,
    signal,
  });
  if (end.kind !== 'exited' || end.exitCode !== 0) throw npmFailure(end, subject);
  const version = end.stdout.toString().trim();
  // Some registries have a package without naming its newest release.
  if (!/^\d+\.\d+\.\d+(?:-[\w.-]+)?$/u.test(version)) {
    throw new SvcError(subject.code, `the registry of npm does not name the newest ${name}`, {
      hint: 'check the registry that "npm config get registry" shows',
    });
  }
  return version;
}
