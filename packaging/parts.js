import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the project. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** @type {{ name: string, version: string, description: string, license: string, engines: { node: string } }} */
export const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/**
 * Runs a program and ends this one if it fails.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} [cwd]
 * @returns {string} what it printed
 */
export function run(command, args, cwd = ROOT) {
  const { status, stdout, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    // The tarball has what was built; there is nothing to prepare.
    env: { ...process.env, SVC_SKIP_PREPARE: '1' },
  });
  if (status === 0) return stdout;
  console.error(`error: ${command} ${args.join(' ')} failed ${error?.message ?? ''}`);
  process.exit(1);
}

/**
 * Runs npm: the one that started this, since on Windows `npm` is a batch file.
 *
 * @param {readonly string[]} args
 * @param {string} [cwd]
 */
function runNpm(args, cwd) {
  const script = process.env.npm_execpath ?? '';
  return basename(script) === 'npm-cli.js'
    ? run(process.execPath, [script, ...args], cwd)
    : run('npm', args, cwd);
}

/** A new folder below the one for temporary files. */
export function newFolder() {
  return mkdtempSync(join(tmpdir(), 'svc-package-'));
}

/**
 * Builds the tarball that npm would publish, in a fresh clone after installing what building needs.
 *
 * @param {string} folder
 * @returns {string} its path
 */
export function packInto(folder) {
  run(process.execPath, ['scripts/build-checkout.js']);
  const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
  return join(folder, runNpm(args).trim());
}

/**
 * Installs what npm would publish, with its dependencies, and SQLite built for the running Node.js.
 *
 * @param {string} program the folder, which is created
 * @param {string} work a folder for temporary files
 */
export function installInto(program, work) {
  // All users read it, whoever builds it.
  process.umask(0o022);
  mkdirSync(program, { recursive: true, mode: 0o755 });
  run('tar', ['-xzf', packInto(work), '--strip-components=1', '-C', program]);
  runNpm(['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], program);
  const sqlite = join(program, 'node_modules/better-sqlite3');
  const built = 'build/Release/better_sqlite3.node';
  // Only the release for Node.js 20 has to be built. 26 MB serve only compiling and other systems.
  const isPrebuilt = existsSync(join(sqlite, 'prebuilds'));
  if (!isPrebuilt) {
    runNpm(['rebuild', 'better-sqlite3'], program);
    cpSync(join(sqlite, built), join(work, built));
    rmSync(join(sqlite, 'build'), { recursive: true });
    cpSync(join(work, built), join(sqlite, built));
  }
  for (const part of ['deps', 'src']) rmSync(join(sqlite, part), { recursive: true });
  for (const file of isPrebuilt ? readdirSync(join(sqlite, 'prebuilds')) : []) {
    const isOfThisSystem =
      file.startsWith(process.platform) && file.endsWith(`-${process.arch}.node`);
    if (!isOfThisSystem) rmSync(join(sqlite, 'prebuilds', file));
  }
}
