import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { ROOT } from '../../support/run-svc.js';
import { tempFolder } from '../../support/temp-folder.js';

/** A process that works on flows; see child.ts. */
export interface Child {
  readonly process: ChildProcess;
  readonly ready: Promise<void>;
  /** How many whole lines it has printed so far, apart from `ready`. */
  readonly lineCount: () => number;
  /** The same lines, when it has ended. */
  readonly output: Promise<readonly string[]>;
}

/** The program of the children in few files, without what it does not need yet: there are many of them. */
async function bundleChild(): Promise<string> {
  const folder = tempFolder();
  symlinkSync(join(ROOT, 'node_modules'), folder.at('node_modules'));
  await build({
    entryPoints: [fileURLToPath(new URL('child.ts', import.meta.url))],
    outdir: folder.path,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: [
      '@electric-sql/*',
      'better-sqlite3',
      'dataloader',
      'got',
      'pg',
      'pg-connection-string',
      'pino',
      'standardwebhooks',
    ],
  });
  return folder.at('child.mjs');
}

const script = bundleChild();

/** Starts one. @param where a state folder, or the URL of a server; @param more see child.ts */
export async function startChild(
  what: 'claim' | 'deliver' | 'listen' | 'work' | 'write',
  where: string,
  ...more: readonly string[]
): Promise<Child> {
  const child = spawn(process.execPath, [await script, what, where, ...more], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  const ready = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('ready\n')) resolve();
    });
  });
  const lines = (): readonly string[] => output.split('\n').slice(1, -1);
  const printed = once(child, 'close').then(lines);
  return { process: child, ready, lineCount: () => lines().length, output: printed };
}
