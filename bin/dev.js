#!/usr/bin/env node
// Runs the program from its TypeScript sources, without a build.
const { spawnSync } = require('node:child_process');
const { dirname } = require('node:path');
const { pathToFileURL } = require('node:url');

const root = dirname(__dirname);
if (process.execArgv.includes('tsx')) {
  void import('../src/cli/main.ts').then(({ main }) =>
    main(process.argv.slice(2), {
      root,
      commandsDir: 'src/commands',
      extension: '.ts',
      load: (path) => import(pathToFileURL(path).href),
    }),
  );
} else {
  const args = ['--import', 'tsx', __filename, ...process.argv.slice(2)];
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
}
