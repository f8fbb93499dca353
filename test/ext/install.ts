import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Release, RUNTIMES, releaseAt } from './releases.js';

/** The vector extension; its native part is left out with what else is optional, and named by itself. */
const SQLITE_VEC = '0.1.9';

/**
 * Installs releases of the external tool below a folder, each by itself, with the interpreters that they
 * want. What is there already is kept. Nothing fetches or builds a model, or the runtime for one.
 *
 * @param tell hears what is being done, since it may take minutes
 * @throws when npm fails, with what it wrote
 */
export function installReleases(
  folder: string,
  versions: readonly Release[],
  tell: (what: string) => void,
): void {
  for (const { name, version, folder: below } of Object.values(RUNTIMES)) {
    install(join(folder, below), { [name]: version }, process.env, tell);
  }
  const env = {
    ...process.env,
    ...releaseAt(folder, '0.9.0').env,
    // Headers of the Node.js that it is built for.
    npm_config_nodedir: join(folder, RUNTIMES.node.folder, 'node_modules', RUNTIMES.node.name),
    NODE_LLAMA_CPP_SKIP_DOWNLOAD: 'true',
  };
  for (const version of versions) {
    const packages = {
      '@tobilu/qmd': version,
      'sqlite-vec': SQLITE_VEC,
      [`sqlite-vec-${process.platform}-${process.arch}`]: SQLITE_VEC,
    };
    install(join(folder, version), packages, env, tell);
  }
}

function install(
  folder: string,
  dependencies: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
  tell: (what: string) => void,
): void {
  const allowScripts = { 'better-sqlite3': true, 'node-llama-cpp': false };
  const wanted = `${JSON.stringify({ private: true, dependencies, allowScripts }, null, 2)}\n`;
  const done = join(folder, 'installed.json');
  if (existsSync(done) && readFileSync(done, 'utf8') === wanted) return;
  tell(Object.entries(dependencies)[0]?.join(' ') ?? '');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), wanted);
  const run = spawnSync(
    'npm',
    ['install', '--omit=optional', '--no-audit', '--no-fund', '--no-global', '--no-save'],
    { cwd: folder, env, encoding: 'utf8' },
  );
  if (run.status !== 0) throw new Error(`npm install failed in ${folder}\n${run.stderr}`);
  writeFileSync(done, wanted);
}
