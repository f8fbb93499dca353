#!/usr/bin/env node
const {
  chmodSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} = require('node:fs');
const { dirname, join } = require('node:path');

// Before anything that older ones do not have: they would only print where it is missing.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `error: svc needs Node.js 20.19 or newer, and this is ${process.version} (${process.execPath})\n hint: install a newer one from https://nodejs.org, and check which one "command -v node" finds\n`,
  );
  process.exit(1);
}
// They are for programmers, such as that of `pg` about a password in ~/.pgpass.
process.noDeprecation = true;
const root = dirname(__dirname);
if (!existsSync(join(root, 'dist/main.js'))) {
  const script = join(root, 'scripts/build-checkout.js');
  const { status } = require('node:child_process').spawnSync(process.execPath, [script], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) process.exit(1);
}
const writeCompiledCode = loadCompiledCode();
const { main } = require('../dist/main.js');
main(process.argv.slice(2), {
  root,
  commandsDir: 'dist/commands',
  extension: '.js',
  load: require,
}).then(() => {
  writeCompiledCode();
  // Left alone, Node waits for V8's background compiler to finish code that nobody will run: 5 ms.
  const isWriting = process.getActiveResourcesInfo().some((name) => name.endsWith('WriteWrap'));
  if (!isWriting) process.exit();
});

/**
 * Lets V8 read compiled code instead of compiling the same source at every start, which takes a fifth of
 * a search and more of a screen. The code of the largest chunks is cached next to them, where whoever could
 * change it could change the source as well; Node's own compile cache reads a file for every module.
 * @returns {() => void} writes the compiled code that ran, unless it is on disk already
 */
function loadCompiledCode() {
  // This is what require('node:module') returns, which would load more.
  const Module = module.constructor;
  const vm = require('node:vm');
  const cachedChunks = join(root, 'dist/chunks/kept-');
  const loadNormally = Module._extensions['.js'];
  const words = process.argv.slice(2);
  // Help and the version run next to nothing.
  const isShort = words.includes('--help') || words.includes('-h') || words[0] === '--version';
  const isSearch = words.slice(0, 2).includes('search') && !isShort;
  const notCached = [];
  Module._extensions['.js'] = (loaded, path) => {
    if (!path.startsWith(cachedChunks)) return loadNormally(loaded, path);
    // The name of a chunk has a hash of its content; V8 itself compares only lengths.
    const whole = `${path}.${process.version}-${process.arch}.cache`;
    // Most commands run little of what a search runs; their compiled code serves until one has run.
    const isPart = !isSearch && /^(?:start|memory)-/.test(path.slice(cachedChunks.length));
    const part = `${whole}.part`;
    const cached = [whole, part].find((file) => existsSync(file));
    const script = new vm.Script(Module.wrap(readFileSync(path, 'latin1')), {
      filename: path,
      cachedData: cached === undefined ? undefined : readCache(cached),
      importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    const run = script.runInThisContext();
    run.call(
      loaded.exports,
      loaded.exports,
      Module.createRequire(path),
      loaded,
      path,
      dirname(path),
    );
    const isUsed = script.cachedDataRejected === false;
    const isCached = isPart ? isUsed || cached === whole || isShort : isUsed && cached === whole;
    if (!isCached) notCached.push({ file: isPart ? part : whole, script });
  };
  return () => {
    for (const { file, script } of notCached) writeCache(file, script.createCachedData());
  };
}

/** Failing is fine, too: the source is compiled instead. */
function readCache(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** Failing is fine, for example in a folder that cannot be written: only the next start is slower. */
function writeCache(path, data) {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, data, { flush: true });
    // For all users, whatever the umask of the one who comes first.
    chmodSync(temporary, 0o644);
    renameSync(temporary, path);
  } catch {
    discard(temporary);
  }
}

/** Some read-only folders refuse to remove even what is not there, such as the archives of yarn. */
function discard(path) {
  try {
    rmSync(path, { force: true });
  } catch {}
}
