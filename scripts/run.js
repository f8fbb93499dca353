import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  ensureBuilt,
  ensureInstalled,
  installPackages,
  onSignals,
  withInstallLock,
} from './ensure-installed.js';

// node scripts/run.js [--build] FILE|FOLDER [ARGUMENT…]: runs a TypeScript file of the project, building the
// program first with --build. For a folder, the first argument may name a file in it; main.ts otherwise. With --help,
// it prints the comment at the top of the file.

const [first, ...rest] = process.argv.slice(2);
const builds = first === '--build';
const [target = '', ...args] = builds ? rest : [first, ...rest];
const root = fileURLToPath(new URL('..', import.meta.url));

const namedFile = `${target}/${args[0]}.ts`;
const file = target.endsWith('.ts')
  ? target
  : /^[\w-]+$/.test(args[0] ?? '') && existsSync(`${root}${namedFile}`)
    ? namedFile
    : `${target}/main.ts`;
if (args.includes('--help')) {
  const [comment = ''] = readFileSync(`${root}${file}`, 'utf8').split(' */', 1);
  console.log(comment.replace('/**\n', '').replaceAll(/^ \* ?/gm, ''));
  process.exit();
}
await withInstallLock(async () => {
  // The test runner compiles SQLite itself, while its checks run.
  await (target === 'test/run.ts' ? installPackages() : ensureInstalled());
  if (builds) await ensureBuilt();
});
// Otherwise the file would keep running after a signal to this process alone; before it starts, so that none is missed.
onSignals((signal) => run.kill(signal));
const run = spawn(process.execPath, ['--import', 'tsx', file, ...args], {
  stdio: 'inherit',
  cwd: root,
});
const [status] = await once(run, 'close');
process.exitCode = status ?? 1;
