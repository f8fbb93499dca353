import { existsSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { SvcError } from '../../errors/index.js';

/** How npm is started, without a shell. */
export interface NpmCommand {
  readonly command: string;
  /** Come before npm's own. */
  readonly args: readonly string[];
}

/** Around what npm is looked for. */
export interface FindNpmOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The running Node.js, as `process.execPath`. */
  readonly nodePath: string;
}

const CLI = 'npm-cli.js';

/**
 * Finds npm: the one that started svc, the one that came with the running Node.js, the one on the
 * PATH.
 *
 * @throws SvcError PROVIDER_INSTALL_FAILED when there is none
 */
export function findNpm({ env, nodePath }: FindNpmOptions): NpmCommand {
  const script = [startedBy(env), ...besideNode(nodePath)].find(
    (path) => path !== undefined && existsSync(path),
  );
  if (script !== undefined) return { command: nodePath, args: [script] };
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((dir) => dir !== '');
  for (const dir of folders) {
    // On Windows `npm` is a batch file, which cannot be started without a shell.
    const beside = join(dir, 'node_modules', 'npm', 'bin', CLI);
    if (existsSync(beside)) return { command: nodePath, args: [beside] };
    const program = join(dir, 'npm');
    if (existsSync(program)) return { command: program, args: [] };
  }
  throw new SvcError('PROVIDER_INSTALL_FAILED', 'npm was not found, and it does the installing', {
    hint: 'install npm (it comes with Node.js) or put its folder on the PATH, and try again',
    details: { reason: 'npm_missing' },
  });
}

/** npm names itself to what it starts; so do other package managers, which are not meant. */
function startedBy(env: FindNpmOptions['env']): string | undefined {
  const path = env['npm_execpath'];
  return path !== undefined && basename(path) === CLI ? path : undefined;
}

function besideNode(nodePath: string): string[] {
  const dir = dirname(nodePath);
  const below = join('node_modules', 'npm', 'bin', CLI);
  return [join(dir, '..', 'lib', below), join(dir, below)];
}
