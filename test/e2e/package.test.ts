import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findNodeDriver } from '../../src/engine/sqlite/node-driver.js';
import { jsonOf } from '../support/json.js';
import { ROOT, runSvc } from '../support/run-svc.js';
import { folderOf, tempFolder } from '../support/temp-folder.js';

const test = suite('the package');

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly man: unknown;
  readonly engines: { readonly node: string };
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}
const manifest: Manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

interface Tarball {
  readonly filename: string;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

const TARBALLS = tempFolder();
const tarball = packInto(TARBALLS.path);

function packInto(folder: string): Tarball {
  const args = ['pack', '--json', '--ignore-scripts', '--silent', '--pack-destination', folder];
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8' });
  assert.is(status, 0, stderr);
  const [first]: readonly Tarball[] = JSON.parse(stdout);
  if (first === undefined) throw new Error(stdout);
  return first;
}

/** The packed tarball, unpacked, with only its own dependencies next to it. */
function unpack(): string {
  const folder = tempFolder();
  spawnSync('tar', ['-xzf', TARBALLS.at(tarball.filename)], { cwd: folder.path });
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
    const link = folder.at(`package/node_modules/${name}`);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), link);
  }
  return folder.at('package');
}

test('the tarball contains only what is needed to run and read about it', () => {
  const { files } = tarball;
  const program =
    /^(?:bin\/(?:run\.js|package\.json)|scripts\/prepare\.js|dist\/.+|oclif\.manifest\.json|package\.json)$/;
  const documentation =
    /^(?:README|CHANGELOG|LICENSE|docs\/[\w-]+\.md$|docs\/samples\/|man\/svc\.1$)/;
  const others = files.filter(({ path }) => !program.test(path) && !documentation.test(path));
  assert.equal(
    others.map(({ path }) => path),
    [],
  );
  const built = files.filter(({ path }) => path.startsWith('dist/'));
  const strange = built.filter(
    ({ path }) => !/\.(?:js|mjs)$|^dist\/[^/]+\.(?:json|txt)$/.test(path),
  );
  assert.equal(
    strange.map(({ path }) => path),
    [],
  );
  const withDevtools = built.filter(({ path }) =>
    readFileSync(join(ROOT, path), 'utf8').includes('__REACT_DEVTOOLS_COMPONENT_FILTERS__'),
  );
  assert.equal(withDevtools, []);
  const packedFiles = new Set(files.map(({ path }) => path));
  // npm 11 installs the pages of a list only.
  assert.ok(Array.isArray(manifest.man) && manifest.man.every((page) => packedFiles.has(page)));
  const pages = [...packedFiles].filter((path) => /^(?:README|docs\/.+)\.md$/.test(path));
  for (const page of pages) {
    const text = readFileSync(join(ROOT, page), 'utf8');
    for (const [, link = ''] of text.matchAll(/\]\(((?:docs|samples)\/[\w.-]+)/g)) {
      const linked = join(dirname(page), link);
      assert.ok(packedFiles.has(linked), `${page} links to ${linked}`);
    }
  }
  // Native modules and the runtime of local models are fetched apart; what runs is text.
  const running = files.filter(({ path }) => program.test(path));
  const bytes = running.reduce((sum, { size }) => sum + size, 0);
  assert.ok(bytes < 9_000_000, `${bytes} bytes`);
});

test('optional libraries are not dependencies of the package', () => {
  const heavy =
    /node-llama-cpp|@aws-sdk|@modelcontextprotocol|agentclientprotocol|fastify|ink|react/;
  assert.equal(
    Object.keys(manifest.dependencies).filter((name) => heavy.test(name)),
    [],
  );
});

/** What a standalone executable reports with this program next to it. */
function standaloneRefusal(program: string): string {
  const folder = tempFolder();
  const executable = folder.at('svc');
  cpSync(process.execPath, executable);
  symlinkSync(program, folder.at('lib'));
  const args = [join(ROOT, 'packaging/sea-main.cjs'), 'memory', 'search', 'alpha', '-w', '.'];
  const options = { cwd: folder.path, env: { HOME: folder.path }, encoding: 'utf8' } as const;
  return spawnSync(executable, args, options).stderr;
}

test('a native module that is missing or of another Node.js is explained, with the hint', async () => {
  const root = unpack();
  const installed = join(root, 'node_modules/better-sqlite3');
  const options = { home: tempFolder().path, root, cwd: folderOf({ 'a.md': 'alpha' }).path };
  // Where Node.js has SQLite built in, that is used instead, and "svc version" says why.
  const hasOwnSqlite = findNodeDriver() !== undefined;
  const refusal = async (): Promise<string> => {
    const run = await runSvc(['memory', 'search', 'alpha', '-w', '.', '--json'], options);
    if (hasOwnSqlite) {
      assert.is(jsonOf.search(run).results[0]?.path, 'a.md');
      assert.is(run.stderr, '');
      const version = jsonOf.version(await runSvc(['version', '--json'], options));
      assert.is(version.sqliteDriver, 'node:sqlite');
      return version.modules[0]?.why ?? '';
    }
    assert.is(run.code, 1);
    const error = jsonOf.error(run);
    assert.is(error.code, 'SQLITE_UNUSABLE');
    // No file is to blame.
    assert.match(error.message, /^SQLite cannot be loaded: /);
    const isOther = /of a release for another Node\.js|is damaged/.test(error.message);
    const hint = isOther ? 'install svc again with npm' : `npm rebuild better-sqlite3" in ${root}`;
    assert.match(error.hint ?? '', hint);
    return error.message;
  };
  rmSync(installed);
  mkdirSync(installed);
  const original = join(ROOT, 'node_modules/better-sqlite3');
  const packageFile = join(installed, 'package.json');
  cpSync(join(original, 'package.json'), packageFile);
  cpSync(join(original, 'lib'), join(installed, 'lib'), { recursive: true });
  assert.match(await refusal(), 'was not built');
  if (!hasOwnSqlite) assert.match(standaloneRefusal(root), /\n hint: replace the whole folder/);
  mkdirSync(join(installed, 'build/Release'), { recursive: true });
  writeFileSync(join(installed, 'build/Release/better_sqlite3.node'), 'no machine code');
  assert.match(await refusal(), 'was built for another Node.js');
  // As a power failure leaves it.
  writeFileSync(packageFile, '');
  assert.match(await refusal(), 'is damaged (');
  // Both releases would end the process there.
  const node = Number.parseInt(process.versions.node, 10);
  if (node === 22) return;
  const other = node < 22 ? '13.2.0' : '12.11.1';
  writeFileSync(packageFile, JSON.stringify({ name: 'better-sqlite3', version: other }));
  assert.match(await refusal(), 'is of a release for another Node.js');
  if (hasOwnSqlite) return;
  // npm would only link a checkout again.
  mkdirSync(join(root, '.git'));
  const run = await runSvc(['memory', 'search', 'alpha', '-w', '.', '--json'], options);
  assert.match(jsonOf.error(run).hint ?? '', `or run "npm start -- --version" in ${root}`);
});

/** Arguments with which Node.js claims to be another. */
function claiming(versions: Readonly<Record<string, string>>): readonly string[] {
  const others = `{ ...process.versions, ...${JSON.stringify(versions)} }`;
  const claim = [
    `Object.defineProperty(process, 'versions', { value: ${others} });`,
    `Object.defineProperty(process, 'version', { value: 'v${versions['node']}' });`,
  ];
  return ['--require', tempFolder().write('claim.cjs', claim.join('\n'))];
}

test('a Node.js that is too old is refused before anything else', async () => {
  for (const node of ['18.20.8', '20.18.3']) {
    const options = { home: tempFolder().path, nodeArgs: claiming({ node }) };
    const { code, stdout, stderr } = await runSvc(['--version'], options);
    assert.equal([code, stdout], [1, '']);
    const oldest = /\d+\.\d+/.exec(manifest.engines.node)?.[0];
    assert.match(stderr, `error: svc needs Node.js ${oldest} or newer, and this is v${node}`);
    for (const script of ['start.js', 'run.js']) {
      const args = [...options.nodeArgs, join(ROOT, 'scripts', script)];
      const inCheckout = spawnSync(process.execPath, args, { encoding: 'utf8' });
      assert.equal([inCheckout.status, inCheckout.stderr], [1, stderr]);
    }
  }
});

test('Node.js 22 before 22.14 does not load better-sqlite3 13, which ends the process there', async () => {
  const root = unpack();
  const installed = join(root, 'node_modules/better-sqlite3');
  rmSync(installed);
  mkdirSync(installed);
  writeFileSync(join(installed, 'package.json'), '{"version":"13.2.0","main":"index.js"}');
  writeFileSync(join(installed, 'index.js'), 'process.exit(139);');
  const nodeArgs = claiming({ node: '22.13.1', napi: '9' });
  const cwd = folderOf({ 'a.md': 'alpha' }).path;
  const options = { home: tempFolder().path, root, cwd, nodeArgs };
  const version = jsonOf.version(await runSvc(['version', '--json'], options));
  assert.match(version.modules[0]?.why ?? '', 'is of a release for another Node.js');
  if (findNodeDriver() !== undefined) return;
  const search = await runSvc(['memory', 'search', 'alpha', '-w', '.', '--json'], options);
  assert.is(jsonOf.error(search).hint, 'install Node.js 22.16 or newer, which has SQLite built in');
});

test('the packed tarball works with its declared dependencies alone', async () => {
  const root = unpack();
  const home = tempFolder().path;
  const notes = folderOf({ 'a.md': '# Alpha\n\nthe needle\n' });
  const options = { home, root, cwd: notes.path };
  const search = await runSvc(['memory', 'search', 'needle', '-w', '.', '--json'], options);
  assert.is(jsonOf.search(search).results[0]?.path, 'a.md');
  for (const args of [
    ['memory', 'index', '-w', '.'],
    ['memory', 'status', '-w', '.'],
    ['config', 'path'],
  ]) {
    const run = await runSvc(args, options);
    assert.not.match(run.stderr, /Cannot find|bug in svc/, args.join(' '));
  }
  const help = await runSvc(['memory', 'search', '--help'], options);
  assert.equal([help.code, /EXAMPLES/.test(help.stdout)], [0, true]);
  const version = await runSvc(['--version'], options);
  assert.match(version.stdout, new RegExp(`^${manifest.name}/${manifest.version} `));
});

test('the unpacked package can be installed from its folder, with and without development dependencies', () => {
  const root = unpack();
  const prepare = () => spawnSync('npm', ['run', '--silent', 'prepare'], { cwd: root });
  assert.is(prepare().status, 0);
  symlinkSync(join(ROOT, 'node_modules/rolldown'), join(root, 'node_modules/rolldown'));
  assert.is(prepare().status, 0);
});

test('npm start searches the project’s own docs, in the current folder', () => {
  const home = tempFolder().path;
  const start = (cwd: string, workspace: string) =>
    spawnSync(
      'npm',
      [
        '--silent',
        '--prefix',
        ROOT,
        'start',
        '--',
        'memory',
        'search',
        'error codes',
        '-w',
        workspace,
      ],
      { cwd, encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: home, SVC_HOME: home } },
    );
  const first = start(ROOT, 'docs');
  assert.is(first.status, 0, first.stderr);
  assert.match(first.stdout, /^0\.\d\d {2}\S+\.md#L\d+/);
  const elsewhere = start(join(ROOT, 'docs'), '.');
  assert.equal([elsewhere.status, elsewhere.stdout, elsewhere.stderr], [0, first.stdout, '']);
});

test.run();
