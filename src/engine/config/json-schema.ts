import * as z from 'zod/mini';
import { isRecord } from './config-path.js';
import { CONFIG_DEFAULTS, ENTRY_DEFAULTS } from './defaults.js';
import { configSchema } from './schema/index.js';
import { NOTES } from './schema/keys.js';

/** A JSON Schema document or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The JSON Schema of `svc.json` (draft 7, which editors know best), with descriptions and defaults.
 * Rules across keys are not in it; `svc config validate` knows them.
 */
export function createJsonSchema(): JsonSchema {
  const schema = z.toJSONSchema(configSchema, {
    target: 'draft-7',
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      const description = NOTES.get(zodSchema)?.description;
      if (description !== undefined) jsonSchema.description = description;
    },
  });
  const withDefaults = addDefaults(schema, CONFIG_DEFAULTS, []);
  return { title: 'svc configuration', ...withDefaults };
}

/** A copy of a part of the schema with the defaults of the keys below it. */
function addDefaults(schema: JsonSchema, defaults: unknown, path: readonly string[]): JsonSchema {
  const own = isRecord(defaults) ? defaults : {};
  const known = { ...own, ...ENTRY_DEFAULTS[path.join('.')] };
  const { properties, additionalProperties, oneOf } = schema;
  return {
    ...schema,
    ...(isRecord(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([key, child]) => [
              key,
              withDefault(child, Object.hasOwn(known, key) ? known[key] : undefined, [
                ...path,
                key,
              ]),
            ]),
          ),
        }
      : {}),
    ...(isRecord(additionalProperties)
      ? { additionalProperties: addDefaults(additionalProperties, undefined, [...path, '*']) }
      : {}),
    ...(Array.isArray(oneOf)
      ? { oneOf: oneOf.map((form) => (isRecord(form) ? addDefaults(form, undefined, path) : form)) }
      : {}),
  };
}

function withDefault(schema: unknown, value: unknown, path: readonly string[]): unknown {
  if (!isRecord(schema)) return schema;
  const filled = addDefaults(schema, value, path);
  return value === undefined || isRecord(value) ? filled : { ...filled, default: value };
}
