import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { SvcError, systemErrorCode } from '../errors/index.js';

/** Larger files are refused: no configuration is that long, and every edit parses all of it. */
const MAX_CONFIG_BYTES = 4 * 1024 * 1024;

/**
 * Reads a configuration file as text; a UTF-8 byte order mark is dropped.
 *
 * @throws SvcError CONFIG_NOT_FOUND, CONFIG_UNREADABLE (a folder, no permission, over 4 MiB),
 *   CONFIG_SYNTAX (not UTF-8)
 */
export function readConfigText(file: string): string {
  const bytes = readBytes(file);
  const location = { file, line: 1, column: 1 };
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    throw new SvcError('CONFIG_SYNTAX', `${file} is UTF-16 text`, {
      hint: 'save it as UTF-8',
      location,
    });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new SvcError('CONFIG_SYNTAX', `${file} is not UTF-8 text`, {
      hint: 'save it as UTF-8',
      location,
      cause,
    });
  }
}

function readBytes(file: string): Uint8Array {
  let descriptor: number | undefined;
  try {
    // Non-blocking, so that a named pipe is refused below instead of waiting for its writer.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(descriptor);
    if (stat.isDirectory()) throw unreadable(file, 'is a folder', 'name a file');
    if (!stat.isFile()) throw unreadable(file, 'is not a regular file', 'name a regular file');
    if (stat.size > MAX_CONFIG_BYTES) {
      const size = (stat.size / 1_048_576).toFixed(1);
      throw unreadable(
        file,
        `is ${size} MiB, more than the 4 MiB allowed`,
        'check that it is the right file',
      );
    }
    return readFileSync(descriptor);
  } catch (cause) {
    throw explain(file, cause);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function explain(file: string, cause: unknown): SvcError {
  if (cause instanceof SvcError) return cause;
  const code = systemErrorCode(cause) ?? 'unknown error';
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new SvcError('CONFIG_NOT_FOUND', `there is no configuration file ${file}`, {
        hint: 'check the path, or leave out --config and SVC_CONFIG',
        cause,
      });
    case 'EACCES':
    case 'EPERM':
      return unreadable(
        file,
        'may not be read by this user',
        `chmod u+r ${JSON.stringify(file)}`,
        cause,
      );
    case 'EISDIR':
      return unreadable(file, 'is a folder', 'name a file', cause);
    case 'ELOOP':
      return unreadable(
        file,
        'is a symbolic link that leads back to itself',
        'mend the link',
        cause,
      );
    default:
      return unreadable(file, `cannot be read (${code})`, 'check the file system', cause);
  }
}

function unreadable(file: string, why: string, hint: string, cause?: unknown): SvcError {
  return new SvcError('CONFIG_UNREADABLE', `${file} ${why}`, {
    hint,
    location: { file, line: 1, column: 1 },
    cause,
  });
}
