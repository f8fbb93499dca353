import { SvcError } from '../../errors/index.js';
import { type ConfigPath, formatPath, type PathSegment, parsePath } from '../config-path.js';
import { configSchema } from '../schema/index.js';
import { isListSchema, knownKeys, pathOfKey, schemaAt, schemasAt } from '../schema/walk.js';
import { suggestName } from '../suggest.js';

/**
 * Reads a path and checks that the schema has it. Digits after a dot count as a list position
 * where the schema has a list: `agents.list.0.id` is `agents.list[0].id`.
 *
 * @throws SvcError USAGE (not a path), CONFIG_KEY_UNKNOWN (with a suggestion where there is one)
 */
export function parseKnownPath(text: string): ConfigPath {
  const path: PathSegment[] = [];
  for (const written of parsePath(text)) {
    const parent = schemaAt(configSchema, path);
    const segment =
      parent !== undefined && isListSchema(parent) && /^\d+$/u.test(String(written))
        ? Number(written)
        : written;
    if (schemasAt(configSchema, [...path, segment]).length === 0) {
      throw unknownPath(path, segment);
    }
    path.push(segment);
  }
  return path;
}

function unknownPath(parent: ConfigPath, segment: PathSegment): SvcError {
  const schema = schemaAt(configSchema, parent);
  const known = schema === undefined ? [] : knownKeys(schema);
  const path = formatPath([...parent, segment]);
  const near = suggestName(String(segment), known);
  const suggestion =
    near === undefined ? elsewhere(String(segment)) : formatPath([...parent, near]);
  const keys = known.length === 0 ? 'it has no keys below it' : `known keys: ${known.join(', ')}`;
  return new SvcError('CONFIG_KEY_UNKNOWN', `there is no configuration key ${path}`, {
    hint: suggestion === undefined ? keys : `did you mean "${suggestion}"?`,
    details: { path, ...(suggestion === undefined ? {} : { suggestion }) },
  });
}

/** A right key in a wrong place. */
function elsewhere(name: string): string | undefined {
  const path = pathOfKey(configSchema, name);
  return path === undefined ? undefined : formatPath(path);
}
