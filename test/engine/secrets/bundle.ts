import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { SecretInput } from '../../../src/engine/config/index.js';
import type { SecretContext } from '../../../src/engine/secrets/index.js';
import { type TempFolder, tempFolder } from '../../support/temp-folder.js';

const ENTRY = fileURLToPath(new URL('../../../src/engine/secrets/index.ts', import.meta.url));

/** This room as a program apart, that other users can run and that loads what it needs. */
export async function bundleSecrets(): Promise<TempFolder> {
  const folder = tempFolder();
  await build({
    entryPoints: { secrets: ENTRY },
    outdir: folder.path,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunk-[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
  });
  folder.write('main.mjs', MAIN);
  chmodSync(folder.path, 0o755);
  return folder;
}

/** Prints the message of what goes wrong, or that a value was found and what is loaded then. */
const MAIN = `
import { resolveSecret } from './secrets.mjs';
const [input, settings] = process.argv.slice(2).map((text) => JSON.parse(text));
try {
  await resolveSecret(input, { env: process.env, settings });
  const programs = process.moduleLoadList.includes('NativeModule child_process');
  console.log(programs ? 'found, with programs' : 'found');
} catch (error) {
  console.log(error.message);
}`;

/** Takes away the code that is only loaded when it is needed. */
export function removeLazyCode(folder: TempFolder): void {
  for (const name of readdirSync(folder.path)) {
    if (/-lookup-/u.test(name)) rmSync(join(folder.path, name));
  }
}

/** What the program apart prints about a secret. */
export async function askBundle(
  folder: TempFolder,
  input: SecretInput,
  { env, settings }: SecretContext,
  uid?: number | undefined,
): Promise<string> {
  const args = [folder.at('main.mjs'), JSON.stringify(input), JSON.stringify(settings)];
  const child = spawn(process.execPath, args, {
    env,
    cwd: folder.path,
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return output.trim();
}
