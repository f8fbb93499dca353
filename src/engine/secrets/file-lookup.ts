import type { Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { sleepUnblocked, withinTime } from '../support/async.js';
import { READ_NO_LINK } from '../support/files.js';
import { pointerKeys, valueAtKeys } from '../support/json-pointer.js';
import { isRecord, parsedJson, utf8Text } from '../support/text.js';
import {
  currentUser,
  type GuardedPath,
  linkFault,
  orPathFault,
  pathFault,
  refuseInsecure,
  requireGuardedFile,
  statGuarded,
} from './path-safety.js';
import {
  type FileProvider,
  howToSet,
  placeOf,
  SecretFault,
  type SecretLookup,
} from './secret-context.js';

/** The id that means the whole file. */
const WHOLE_FILE = 'value';

/**
 * Reads a secret file once: JSON with values at pointers, or a single value.
 *
 * @throws SecretFault; or the signal's reason
 */
export async function fileLookup(
  provider: FileProvider,
  alias: string,
  signal: AbortSignal | undefined,
): Promise<SecretLookup> {
  const { path, mode, timeoutMs } = provider;
  // A read from a hanging network folder cannot be cancelled, only abandoned.
  const reading = () => readSecretText(provider, alias);
  // An index that is being built must not make a fast file look slow: its route would not be served.
  const read = await withinTime(timeoutMs, signal, reading, sleepUnblocked);
  if (!read.done) {
    throw new SecretFault(
      `${path} could not be read within ${timeoutMs} ms`,
      `check the file system, or raise ${placeOf(alias)}.timeoutMs`,
    );
  }
  return (mode === 'json' ? jsonLookup : singleLookup)(read.value, path, alias);
}

async function readSecretText(provider: FileProvider, alias: string): Promise<string> {
  const { path, maxBytes, allowInsecurePath } = provider;
  const guarded: GuardedPath = { path, alias, key: 'path', allowInsecurePath };
  const { file, stats } = await openSecretFile(guarded);
  try {
    const bytes = stats.size > maxBytes ? undefined : await readUpTo(file, maxBytes);
    if (bytes === undefined) {
      throw new SecretFault(
        `${path} has more than ${maxBytes} bytes`,
        `check that it is the right file, or raise ${placeOf(alias)}.maxBytes`,
      );
    }
    const text = utf8Text(bytes);
    if (text !== undefined) return text;
    throw new SecretFault(`${path} is not UTF-8 text`, 'save it as UTF-8');
  } catch (error) {
    throw error instanceof SecretFault ? error : pathFault(guarded, error);
  } finally {
    await file.close();
  }
}

/** The content; undefined when it is longer, whatever its reported size was. */
async function readUpTo(file: FileHandle, maxBytes: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  for await (const part of file.createReadStream({ end: maxBytes, autoClose: false })) {
    parts.push(part);
  }
  const bytes = Buffer.concat(parts);
  return bytes.length > maxBytes ? undefined : bytes;
}

function jsonLookup(text: string, path: string, alias: string): SecretLookup {
  const root = parseObject(text, path, alias);
  return (id) => {
    const keys = pointerKeys(id);
    if (keys === undefined) {
      const single = id === WHOLE_FILE ? `, or ${howToSet(alias, 'mode', 'singleValue')}` : '';
      return new SecretFault(
        `${path} is JSON, and "${id}" is not a JSON pointer`,
        `use an id such as /providers/openai${single}`,
      );
    }
    const value = valueAtKeys(root, keys);
    if (typeof value === 'string' && value !== '') return value;
    return new SecretFault(
      value === undefined
        ? `${path} has no value there`
        : `the value in ${path} is not a non-empty string`,
      'write the value as a string, or fix the id of the reference',
    );
  };
}

function parseObject(text: string, path: string, alias: string): Record<string, unknown> {
  const root = parsedJson(text);
  if (root === undefined) {
    throw new SecretFault(
      `${path} is not JSON`,
      `fix it; if the whole file is one value, ${howToSet(alias, 'mode', 'singleValue')}`,
    );
  }
  if (isRecord(root)) return root;
  throw new SecretFault(`${path} is not a JSON object`, 'put the secrets in one object');
}

function singleLookup(text: string, path: string, alias: string): SecretLookup {
  return (id) => {
    if (id !== WHOLE_FILE) {
      return new SecretFault(
        `the secret provider "${alias}" has a single value`,
        `use "id": "${WHOLE_FILE}" in the reference, or ${howToSet(alias, 'mode', 'json')}`,
      );
    }
    if (text.trim() !== '') return text;
    return new SecretFault(`${path} is empty`, 'write the value to it');
  };
}

/**
 * Opens a secret file that meets the rules of facts §3.3. The caller closes it.
 *
 * @throws SecretFault
 */
async function openSecretFile(guarded: GuardedPath) {
  const stats = await statGuarded(guarded);
  if (stats.isSymbolicLink()) throw linkFault(guarded);
  // Opening a device can have side effects.
  requireGuardedFile(guarded, stats);
  const file = await orPathFault(guarded, open(guarded.path, READ_NO_LINK));
  try {
    // Of the open file: the path may lead elsewhere by now.
    const stats = await file.stat();
    requireGuardedFile(guarded, stats);
    refuseInsecure(guarded, stats, currentUser());
    refuseOtherNames(guarded, stats);
    return { file, stats };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Another name may be in a folder that others can read. allowInsecurePath does not waive this. */
function refuseOtherNames({ path }: GuardedPath, stats: Stats): void {
  if (stats.nlink <= 1) return;
  throw new SecretFault(
    `${path} has ${stats.nlink} names (hard links)`,
    'copy it to a new file and delete the old names',
  );
}
