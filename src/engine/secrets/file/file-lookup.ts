import type { FileHandle } from 'node:fs/promises';
import { isRecord } from '../../config/index.js';
import { type GuardedPath, pathFault } from '../path-safety.js';
import type { FileProvider } from '../secret-context.js';
import { placeOf, SecretFault, type SecretLookup, setCommand } from '../secret-fault.js';
import { pointerKeys, valueAtKeys } from './json-pointer.js';
import { openSecretFile } from './open-secret-file.js';
import { withinTime } from './within-time.js';

/** The id that means the whole file. */
const WHOLE_FILE = 'value';

/**
 * Reads a file of secrets once: JSON to be looked into by pointers, or one value.
 *
 * @throws SecretFault; or the signal's reason
 */
export async function fileLookup(
  provider: FileProvider,
  alias: string,
  signal: AbortSignal | undefined,
): Promise<SecretLookup> {
  const { path, mode, timeoutMs } = provider;
  const late = () =>
    new SecretFault(
      `${path} could not be read within ${timeoutMs} ms`,
      `check the file system, or raise ${placeOf(alias)}.timeoutMs`,
    );
  const text = await withinTime(readSecretText(provider, alias), timeoutMs, late, signal);
  return mode === 'json' ? jsonLookup(text, path, alias) : singleLookup(text, path, alias);
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
    return decode(bytes, path);
  } catch (error) {
    throw error instanceof SecretFault ? error : pathFault(guarded, error);
  } finally {
    await file.close();
  }
}

/** The content; undefined when it is longer, whatever its size was said to be. */
async function readUpTo(file: FileHandle, maxBytes: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  for await (const part of file.createReadStream({ end: maxBytes, autoClose: false })) {
    parts.push(part);
  }
  const bytes = Buffer.concat(parts);
  return bytes.length > maxBytes ? undefined : bytes;
}

function decode(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SecretFault(`${path} is not UTF-8 text`, 'save it as UTF-8');
  }
}

function jsonLookup(text: string, path: string, alias: string): SecretLookup {
  const root = parseObject(text, path, alias);
  return (id) => {
    const keys = pointerKeys(id);
    if (keys === undefined) {
      const single = id === WHOLE_FILE ? `, or ${setCommand(alias, 'mode', 'singleValue')}` : '';
      return new SecretFault(
        `"${id}" is no JSON pointer, and ${path} is read as JSON`,
        `write the id like /providers/openai${single}`,
      );
    }
    const value = valueAtKeys(root, keys);
    if (typeof value === 'string' && value !== '') return value;
    return new SecretFault(
      value === undefined
        ? `there is nothing at this place of ${path}`
        : `what lies at this place of ${path} is not a non-empty string`,
      'put the value there as a string, or mend the id of the reference',
    );
  };
}

function parseObject(text: string, path: string, alias: string): Record<string, unknown> {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    throw new SecretFault(
      `${path} is not JSON`,
      `mend it; if the whole file is one value, ${setCommand(alias, 'mode', 'singleValue')}`,
    );
  }
  if (isRecord(root)) return root;
  throw new SecretFault(`${path} holds no JSON object`, 'put the secrets into one object');
}

function singleLookup(text: string, path: string, alias: string): SecretLookup {
  const value = text.replace(/\r?\n$/u, '');
  return (id) => {
    if (id !== WHOLE_FILE) {
      return new SecretFault(
        `the secret provider "${alias}" holds a single value`,
        `write "id": "${WHOLE_FILE}" in the reference, or ${setCommand(alias, 'mode', 'json')}`,
      );
    }
    if (value !== '') return value;
    return new SecretFault(`${path} is empty`, 'write the value into it');
  };
}
