import { lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isRecord } from '../config/index.js';
import { SvcError, systemErrorCode } from '../errors/index.js';
import { withProcessLock } from '../process-lock.js';
import { PRIVATE_MODE, replaceFile } from '../replace-file.js';

/** The file that keeps keys which a person pasted. @param stateDir absolute path */
export function secretsFile(stateDir: string): string {
  return join(stateDir, 'secrets.json');
}

/** Where the key of a provider lies in that file: a JSON pointer. */
export function keyPointer(provider: string): string {
  return `/${GROUP}/${provider.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

const GROUP = 'providers';

/**
 * Puts the key of a provider into a file of secrets and leaves everything else that lies in it. The
 * file is its owner's alone. Waits for another process that does the same.
 *
 * @param file absolute path; made when it is missing
 * @throws SvcError CONFIG_WRITE_FAILED, and the old file is unchanged then; the signal's reason
 */
export async function storeKey(
  file: string,
  { provider, key }: { readonly provider: string; readonly key: string },
  signal: AbortSignal,
): Promise<void> {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    await withProcessLock(`${file}.lock`, { signal }, async () => {
      const secrets = readSecrets(file);
      const group = secrets[GROUP] ?? {};
      if (!isRecord(group)) throw notWritten(file, `"${GROUP}" in it is no object`);
      const merged = { ...secrets, [GROUP]: { ...group, [provider]: key } };
      replaceFile(file, `${JSON.stringify(merged, null, 2)}\n`, PRIVATE_MODE);
    });
  } catch (cause) {
    if (signal.aborted || cause instanceof SvcError) throw cause;
    throw notWritten(file, systemErrorCode(cause) ?? 'unknown error');
  }
}

/** What a parser says of a text quotes it, so its errors go no further. */
function readSecrets(file: string): Record<string, unknown> {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return {};
  // Reading secrets refuses links, so a key behind one would never be found.
  if (!stats.isFile()) throw notWritten(file, 'it is no regular file');
  let root: unknown;
  try {
    root = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/u, ''));
  } catch (error) {
    throw notWritten(file, systemErrorCode(error) ?? 'it is not JSON');
  }
  if (!isRecord(root)) throw notWritten(file, 'it holds no JSON object');
  return root;
}

function notWritten(file: string, why: string): SvcError {
  return new SvcError('CONFIG_WRITE_FAILED', `the key could not be put into ${file}: ${why}`, {
    hint: 'mend or move that file, or keep the key in a variable: --key-env NAME',
  });
}
