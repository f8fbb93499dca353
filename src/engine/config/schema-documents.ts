import * as z from 'zod/mini';
import { isRecord } from '../support/text.js';
import { parsePath, valueAt } from './config-path.js';
import { COMPUTED_DEFAULTS, CONFIG_DEFAULTS, ENTRY_DEFAULTS } from './defaults.js';
import { configSchema } from './schema/index.js';
import { NOTES } from './schema/keys.js';
import {
  describeType,
  descriptionOf,
  fewValues,
  isGroup,
  keysAt,
  schemasAt,
  walkKeys,
} from './schema/walk.js';

/** One key on the configuration reference page. */
export interface ReferenceKey {
  /** `<id>` is any map key, `[]` any list position. */
  readonly path: string;
  readonly type: string;
  /** Markdown; undefined if there is none. */
  readonly default: string | undefined;
  readonly description: string;
}

/** Repeats another part of the tree and is not listed again. */
const REPEATED = 'agents.list.*.memorySearch';

/** Every key of the configuration by root, in schema order. */
export function referenceByRoot(): ReadonlyMap<string, readonly ReferenceKey[]> {
  const roots = new Map<string, ReferenceKey[]>(keysAt([]).map((root) => [root, []]));
  const listed = new Map<string, ReferenceKey>();
  for (const { path, text, schema } of walkKeys(configSchema)) {
    const dotted = path.join('.');
    const description = descriptionOf(schema);
    if (description === '' || dotted.startsWith(`${REPEATED}.`)) continue;
    if (isGroup(schema) && dotted !== REPEATED) continue;
    const earlier = listed.get(dotted);
    const type = describeType(schema);
    const key = {
      path: text,
      type: earlier === undefined || earlier.type === type ? type : `${earlier.type} or ${type}`,
      default: defaultOf(path),
      description,
    };
    const keys = roots.get(path[0] ?? '') ?? [];
    if (earlier === undefined) keys.push(key);
    else keys.splice(keys.indexOf(earlier), 1, key);
    listed.set(dotted, key);
  }
  return roots;
}

/**
 * The values that a key takes, if they are few: `on`, `off`, `auto`; `true`, `false`.
 *
 * @throws SvcError USAGE if it is not a path
 */
export function valuesOfKey(path: string): readonly string[] {
  return [...new Set(schemasAt(parsePath(path)).flatMap(fewValues))];
}

/** The default of a key as Markdown. */
function defaultOf(path: readonly string[]): string | undefined {
  const computed = COMPUTED_DEFAULTS[path.join('.')];
  if (computed !== undefined) return computed;
  const value = lookUp(path);
  return value === undefined || isRecord(value) ? undefined : `\`${JSON.stringify(value)}\``;
}

function lookUp(path: readonly string[]): unknown {
  const entry = ENTRY_DEFAULTS[path.slice(0, -1).join('.')];
  const last = path.at(-1);
  if (entry !== undefined && last !== undefined && Object.hasOwn(entry, last)) return entry[last];
  return valueAt(CONFIG_DEFAULTS, path);
}

export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The JSON Schema of `svc.json` (draft 7, for editors), with descriptions and defaults. Does not
 * include rules across keys.
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

/** Copies a part of the schema with defaults added. */
function addDefaults(schema: JsonSchema, defaults: unknown, path: readonly string[]): JsonSchema {
  const ownDefaults = isRecord(defaults) ? defaults : {};
  const known = { ...ownDefaults, ...ENTRY_DEFAULTS[path.join('.')] };
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
