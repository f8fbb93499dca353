/**
 * The main script of the standalone executable, which consists of this script and Node.js; the program is in `lib/` next to
 * it. svc starts scripts as child processes with `process.execPath`. Here that is this executable, so it takes the
 * arguments of `node` that svc uses: an absolute path of a script, or `-e CODE`. No command of svc looks like them.
 */
const { existsSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, isAbsolute, join } = require('node:path');
const { pathToFileURL } = require('node:url');
const vm = require('node:vm');

const [first = '', second = ''] = process.argv.slice(2);
if (first === '-e') {
  process.argv.splice(1, 3);
  compile(second, 'require')(require);
} else if (isAbsolute(first)) {
  process.argv.splice(1, 1);
  runScript(first);
} else {
  process.argv[1] = process.execPath;
  const program = join(dirname(process.execPath), 'lib/bin/run.js');
  if (existsSync(program)) runScript(program);
  else {
    console.error(
      `error: ${program} is missing\nhint: keep svc and its folder lib together, and link to svc instead of copying it`,
    );
    process.exitCode = 1;
  }
}

/** @param {string} file absolute path */
function runScript(file) {
  if (file.endsWith('.mjs')) compile('return import(url)', 'url')(pathToFileURL(file).href);
  else createRequire(file)(file);
}

/**
 * The main script of an executable can import nothing but parts of Node.js; code compiled like this can.
 *
 * @param {string} code
 * @param {string} parameter
 */
function compile(code, parameter) {
  return vm.compileFunction(code, [parameter], {
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
}
