#!/usr/bin/env node
const { existsSync } = require('node:fs');
const { dirname, join } = require('node:path');

// Node.js 22.1 and newer keep compiled code between runs; older ones have no such function. This is what
// require('node:module') gives, which loads the whole of it.
module.constructor.enableCompileCache?.();

const root = dirname(__dirname);
if (!existsSync(join(root, 'dist/main.js'))) {
  const script = join(root, 'scripts/build-checkout.js');
  const { status } = require('node:child_process').spawnSync(process.execPath, [script], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) process.exit(1);
}
const { main } = require('../dist/main.js');
main(process.argv.slice(2), {
  root,
  commandsDir: 'dist/commands',
  extension: '.js',
  load: require,
}).then(() => {
  // Left alone, Node waits for V8's background compiler to finish code that nobody will run: 5 ms.
  if (process.stdout.writableLength + process.stderr.writableLength === 0) process.exit();
});
