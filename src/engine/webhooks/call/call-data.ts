import { messageOf, SvcError } from '../../errors/index.js';
import type { JsonObject } from '../../flows/index.js';
import { isJsonObject } from './json-object.js';

/** Reads a file as text; undefined is what is piped in. */
export type ReadText = (file: string | undefined) => string;

/**
 * The fields of a body as they are given on a command line: JSON, `@FILE` or `-`.
 *
 * @throws SvcError USAGE for what is no JSON object, or a file that cannot be read
 */
export function readCallData(given: string | undefined, read: ReadText): JsonObject {
  if (given === undefined) return {};
  const text = isFrom(given) ? readGiven(given, read) : given;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw noObject();
  }
  if (!isJsonObject(value)) throw noObject();
  return value;
}

function isFrom(given: string): boolean {
  return given === '-' || given.startsWith('@');
}

function readGiven(given: string, read: ReadText): string {
  try {
    return read(given === '-' ? undefined : given.slice(1));
  } catch (error) {
    throw new SvcError('USAGE', `--data: ${messageOf(error)}`, {
      hint: 'name a file that can be read after the @, or give JSON',
      cause: error,
    });
  }
}

function noObject(): SvcError {
  return new SvcError('USAGE', '--data is no JSON object', {
    hint: 'give the fields of the action, like \'{"goal":"Build 1.2.3"}\'',
  });
}
