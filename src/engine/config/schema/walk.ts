// Named imports, because the `core` namespace of zod/mini would pull all of zod into the bundle.
import {
  $ZodArray,
  $ZodEnum,
  $ZodLazy,
  $ZodLiteral,
  $ZodObject,
  $ZodOptional,
  $ZodRecord,
  type $ZodType,
  $ZodUnion,
} from 'zod/v4/core';
import { type ConfigPath, type PathSegment, valueAt } from '../config-path.js';
import { NOTES } from './keys.js';

type Schema = $ZodType;

/**
 * The schemas of the value at a path; none when the path is not in the schema, several when more
 * than one form is possible.
 *
 * @param value the data from the root on; settles which form of a discriminated union is meant
 */
export function schemasAt(root: Schema, path: ConfigPath, value?: unknown): readonly Schema[] {
  let schemas: readonly Schema[] = [root];
  for (const [depth, segment] of path.entries()) {
    const parent = valueAt(value, path.slice(0, depth));
    schemas = schemas.flatMap((schema) => childSchemas(schema, segment, parent));
  }
  return schemas;
}

/** The first of {@link schemasAt}; undefined when the path is not in the schema. */
export function schemaAt(root: Schema, path: ConfigPath, value?: unknown): Schema | undefined {
  return schemasAt(root, path, value)[0];
}

function childSchemas(schema: Schema, segment: PathSegment, parent: unknown): readonly Schema[] {
  const inner = unwrap(schema);
  if (inner instanceof $ZodObject) {
    const shape = inner._zod.def.shape;
    const child = Object.hasOwn(shape, segment) ? shape[segment] : undefined;
    return child === undefined ? [] : [child];
  }
  if (inner instanceof $ZodRecord) {
    return typeof segment === 'string' ? [inner._zod.def.valueType] : [];
  }
  if (inner instanceof $ZodArray) {
    return typeof segment === 'number' ? [inner._zod.def.element] : [];
  }
  if (!(inner instanceof $ZodUnion)) return [];
  const { options } = inner._zod.def;
  const meant = options.filter((option) => isMeant(option, parent));
  return (meant.length > 0 ? meant : options).flatMap((option) =>
    childSchemas(option, segment, parent),
  );
}

/** Whether the literals of an object's schema are those of the data. */
function isMeant(option: Schema, data: unknown): boolean {
  if (option instanceof $ZodUnion) {
    return option._zod.def.options.some((inner) => isMeant(inner, data));
  }
  if (!(option instanceof $ZodObject)) return false;
  return Object.entries(option._zod.def.shape).every(([name, field]) => {
    const inner = unwrap(field);
    if (!(inner instanceof $ZodLiteral)) return true;
    return inner._zod.def.values.some((literal) => literal === valueAt(data, [name]));
  });
}

/** The keys that an object of this schema may have; empty for maps and anything that is no object. */
export function knownKeys(schema: Schema): readonly string[] {
  const inner = unwrap(schema);
  if (inner instanceof $ZodObject) return Object.keys(inner._zod.def.shape);
  if (inner instanceof $ZodUnion) {
    return [...new Set(inner._zod.def.options.flatMap((option) => knownKeys(option)))];
  }
  return [];
}

/** The schema of the keys of a map; undefined for anything else. */
export function mapKeySchema(schema: Schema): Schema | undefined {
  const inner = unwrap(schema);
  return inner instanceof $ZodRecord ? inner._zod.def.keyType : undefined;
}

/** The values of an enumeration; empty for anything else. */
export function enumChoices(schema: Schema): readonly string[] {
  const inner = unwrap(schema);
  return inner instanceof $ZodEnum ? Object.values(inner._zod.def.entries).map(String) : [];
}

/** Whether the schema is of a list. */
export function isListSchema(schema: Schema): boolean {
  return unwrap(schema) instanceof $ZodArray;
}

/** The path of a key of this name that no map or list lies above; undefined when there is none. */
export function pathOfKey(root: Schema, name: string): readonly string[] | undefined {
  for (const { path } of walkKeys(root)) {
    if (path.at(-1) === name && !path.includes('*')) return path;
  }
  return undefined;
}

/** A key met by {@link walkKeys}. */
export interface WalkedKey {
  /** Map keys are `*`, list positions too. */
  readonly path: readonly string[];
  readonly schema: Schema;
}

/** Visits every key of the schema, groups before what is in them. */
export function* walkKeys(schema: Schema, path: readonly string[] = []): Generator<WalkedKey> {
  const inner = unwrap(schema);
  if (path.length > 0) yield { path, schema };
  if (inner instanceof $ZodObject) {
    for (const [name, child] of Object.entries(inner._zod.def.shape)) {
      yield* walkKeys(child, [...path, name]);
    }
  } else if (inner instanceof $ZodRecord) {
    yield* walkKeys(inner._zod.def.valueType, [...path, '*']);
  } else if (inner instanceof $ZodArray) {
    yield* walkKeys(inner._zod.def.element, [...path, '*']);
  } else if (inner instanceof $ZodUnion) {
    // The forms of one object; a choice between an object and something else is a single value.
    const forms = inner._zod.def.options.filter((option) => option instanceof $ZodObject);
    if (forms.length < inner._zod.def.options.length) return;
    for (const form of forms) {
      for (const [name, child] of Object.entries(form._zod.def.shape)) {
        yield* walkKeys(child, [...path, name]);
      }
    }
  }
}

/** Whether a schema only groups keys: an object, or a map or a choice of objects. */
export function isGroup(schema: Schema): boolean {
  const inner = unwrap(schema);
  if (inner instanceof $ZodRecord) return isGroup(inner._zod.def.valueType);
  if (inner instanceof $ZodUnion) return inner._zod.def.options.every(isGroup);
  return inner instanceof $ZodObject;
}

/** What a key is for; empty when its schema says nothing. */
export function descriptionOf(schema: Schema): string {
  return NOTES.get(schema)?.description ?? '';
}

/** The schema inside any "may be left out" and "built later" wrappers. */
export function unwrap(schema: Schema): Schema {
  let inner = schema;
  for (;;) {
    if (inner instanceof $ZodOptional) inner = inner._zod.def.innerType;
    else if (inner instanceof $ZodLazy) inner = inner._zod.innerType;
    else return inner;
  }
}
