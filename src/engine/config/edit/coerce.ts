import { safeParse } from 'zod/v4/core';
import { parsedJson } from '../../parse-json.js';
import type { ConfigPath } from '../config-path.js';
import { configSchema } from '../schema/index.js';
import { schemasAt } from '../schema/walk.js';

/**
 * The value meant by a word of the command line: JSON where the key takes it, else the text itself.
 * `8` is a number for `query.maxResults` and a text for `agents.list[0].id`. When the key takes
 * neither, JSON is given back, so that checking the file explains what is wrong with it.
 */
export function coerceValue(path: ConfigPath, text: string): unknown {
  const json = parsedJson(text);
  const accepts = (value: unknown): boolean =>
    schemasAt(configSchema, path).some((schema) => safeParse(schema, value).success);
  if (json !== undefined && accepts(json)) return json;
  return accepts(text) || json === undefined ? text : json;
}
