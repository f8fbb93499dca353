// Named imports: the `core` namespace of zod/mini would pull all of zod into the bundle.
import {
  $ZodArray,
  $ZodBoolean,
  $ZodCheckGreaterThan,
  $ZodCheckLessThan,
  $ZodCheckMaxLength,
  $ZodCheckMinLength,
  $ZodDiscriminatedUnion,
  $ZodEnum,
  $ZodLazy,
  $ZodLiteral,
  $ZodNumber,
  $ZodNumberFormat,
  $ZodObject,
  $ZodOptional,
  $ZodRecord,
  $ZodString,
  type $ZodType,
  $ZodUnion,
} from 'zod/v4/core';
import { type ConfigPath, type PathSegment, valueAt } from '../config-path.js';
import { configSchema } from './index.js';
import { NOTES } from './keys.js';

type Schema = $ZodType;

/**
 * The schemas of the value at a path of the configuration: none for an unknown path, several if more
 * than one form is possible.
 *
 * @param value the data from the root; selects the form of a discriminated union
 */
export function schemasAt(path: ConfigPath, value?: unknown): readonly Schema[] {
  let schemas: readonly Schema[] = [configSchema];
  for (const [depth, segment] of path.entries()) {
    const parent = valueAt(value, path.slice(0, depth));
    schemas = schemas.flatMap((schema) => childSchemas(schema, segment, parent));
  }
  return schemas;
}

/** The keys that the object at a path can have; none for anything else, including maps. */
export function keysAt(path: ConfigPath, value?: unknown): readonly string[] {
  return schemasAt(path, value).flatMap((schema) => knownKeys(schema, valueAt(value, path)));
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
  return intendedOptions(inner, parent).flatMap((option) => childSchemas(option, segment, parent));
}

/** The forms that the data can have: all of them if its literals select none. */
function intendedOptions(union: $ZodUnion, data: unknown): readonly Schema[] {
  const { options } = union._zod.def;
  const intended = options.filter((option) => isIntended(option, data));
  return intended.length > 0 ? intended : options;
}

/** Whether the data has the literals of an object's schema. */
function isIntended(option: Schema, data: unknown): boolean {
  if (option instanceof $ZodUnion) {
    return option._zod.def.options.some((inner) => isIntended(inner, data));
  }
  if (!(option instanceof $ZodObject) || Array.isArray(data)) return false;
  return Object.entries(option._zod.def.shape).every(([name, field]) => {
    const inner = unwrap(field);
    if (!(inner instanceof $ZodLiteral)) return true;
    return inner._zod.def.values.some((literal) => literal === valueAt(data, [name]));
  });
}

/** @param value the object; selects the form of a discriminated union */
function knownKeys(schema: Schema, value: unknown): readonly string[] {
  const inner = unwrap(schema);
  if (inner instanceof $ZodObject) return Object.keys(inner._zod.def.shape);
  if (inner instanceof $ZodUnion) {
    return [
      ...new Set(intendedOptions(inner, value).flatMap((option) => knownKeys(option, value))),
    ];
  }
  return [];
}

/** The schema of a map's keys. */
export function mapKeySchema(schema: Schema): Schema | undefined {
  const inner = unwrap(schema);
  return inner instanceof $ZodRecord ? inner._zod.def.keyType : undefined;
}

/** The values of an enumeration; empty for anything else. */
export function enumChoices(schema: Schema): readonly string[] {
  const inner = unwrap(schema);
  return inner instanceof $ZodEnum ? Object.values(inner._zod.def.entries).map(String) : [];
}

/** Every value that a schema allows, as JSON or plain text, if they are few; empty for anything else. */
export function fewValues(schema: Schema): readonly string[] {
  const inner = unwrap(schema);
  if (inner instanceof $ZodBoolean) return ['true', 'false'];
  if (inner instanceof $ZodUnion) return inner._zod.def.options.flatMap(fewValues);
  return enumChoices(inner);
}

/** Whether all values are numbers, switches or names to choose from. */
export function takesNoText(schema: Schema): boolean {
  const inner = unwrap(schema);
  return [$ZodNumber, $ZodBoolean, $ZodEnum].some((type) => inner instanceof type);
}

export function isListSchema(schema: Schema): boolean {
  return unwrap(schema) instanceof $ZodArray;
}

/** The path of the only key with this name outside of maps and lists: one in the wrong place. */
export function pathOfKey(name: string): string | undefined {
  // A file of another program has thousands of unknown names, and each walk takes milliseconds.
  uniqueKeys ??= pathsOfUniqueKeys();
  return uniqueKeys.get(name);
}

let uniqueKeys: ReadonlyMap<string, string | undefined> | undefined;

function pathsOfUniqueKeys(): ReadonlyMap<string, string | undefined> {
  const paths = new Map<string, string | undefined>();
  for (const { path, text } of walkKeys(configSchema)) {
    const name = path.at(-1);
    if (name === undefined || path.includes('*')) continue;
    paths.set(name, paths.has(name) ? undefined : text);
  }
  return paths;
}

interface WalkedKey {
  /** Map keys and list positions are `*`. */
  readonly path: readonly string[];
  /** The path as people read it, like `models.providers.<id>.models[].id`. */
  readonly text: string;
  readonly schema: Schema;
}

/** Visits every key of the schema, groups before their keys. */
export function* walkKeys(
  schema: Schema,
  path: readonly string[] = [],
  text = '',
): Generator<WalkedKey> {
  const inner = unwrap(schema);
  if (path.length > 0) yield { path, text, schema };
  if (inner instanceof $ZodRecord) {
    yield* walkKeys(inner._zod.def.valueType, [...path, '*'], `${text}.<id>`);
  } else if (inner instanceof $ZodArray) {
    yield* walkKeys(inner._zod.def.element, [...path, '*'], `${text}[]`);
  }
  for (const form of formsOf(inner)) {
    for (const [name, child] of Object.entries(form._zod.def.shape)) {
      yield* walkKeys(child, [...path, name], text === '' ? name : `${text}.${name}`);
    }
  }
}

/** All forms of an object; a choice between an object and something else is a single value. */
function formsOf(schema: Schema): readonly $ZodObject[] {
  const options = schema instanceof $ZodUnion ? schema._zod.def.options : [schema];
  const forms = options.filter((option) => option instanceof $ZodObject);
  return forms.length === options.length ? forms : [];
}

/** Whether a schema only groups keys: an object, or a map or choice of objects. */
export function isGroup(schema: Schema): boolean {
  const inner = unwrap(schema);
  if (inner instanceof $ZodRecord) return isGroup(inner._zod.def.valueType);
  if (inner instanceof $ZodUnion) return inner._zod.def.options.every(isGroup);
  return inner instanceof $ZodObject;
}

/** Empty if the schema has no description. */
export function descriptionOf(schema: Schema): string {
  return NOTES.get(schema)?.description ?? '';
}

/** Unwraps optional and lazy schemas. */
function unwrap(schema: Schema): Schema {
  let inner = schema;
  for (;;) {
    if (inner instanceof $ZodOptional) inner = inner._zod.def.innerType;
    else if (inner instanceof $ZodLazy) inner = inner._zod.innerType;
    else return inner;
  }
}

/** Describes what a schema accepts, so that it fits after "must be". */
export function describeType(schema: $ZodType): string {
  const inner = unwrap(schema);
  const form = NOTES.get(inner)?.form;
  if (form !== undefined) return form;
  if (inner instanceof $ZodBoolean) return 'true or false';
  if (inner instanceof $ZodNumber) return describeNumber(inner);
  if (inner instanceof $ZodString) return 'a string';
  if (inner instanceof $ZodEnum) return oneOf(Object.values(inner._zod.def.entries));
  if (inner instanceof $ZodLiteral) return oneOf(inner._zod.def.values);
  if (inner instanceof $ZodArray) {
    return `a list of ${describeLength(inner)}, each ${describeType(inner._zod.def.element)}`;
  }
  if (inner instanceof $ZodRecord)
    return `an object of values, each ${describeType(inner._zod.def.valueType)}`;
  if (inner instanceof $ZodUnion) return describeUnion(inner);
  return 'an object';
}

/** Describes what any of several schemas accepts; lists literals together. */
export function describeTypes(schemas: readonly $ZodType[]): string {
  const literals = schemas.map(unwrap).filter((schema) => schema instanceof $ZodLiteral);
  if (literals.length > 1 && literals.length === schemas.length) {
    return oneOf(literals.flatMap((literal) => literal._zod.def.values));
  }
  return [...new Set(schemas.map(describeType))].join(', or ');
}

/** The length of a list, so that a fault about an empty or too long one names it. */
function describeLength(list: $ZodArray): string {
  const checks = list._zod.def.checks ?? [];
  const least = checks.find((check) => check instanceof $ZodCheckMinLength)?._zod.def.minimum;
  const most = checks.find((check) => check instanceof $ZodCheckMaxLength)?._zod.def.maximum;
  if (least !== undefined && most !== undefined) return `${least} to ${most} items`;
  if (least !== undefined) return `at least ${least} ${least === 1 ? 'item' : 'items'}`;
  return most === undefined ? 'items' : `at most ${most} items`;
}

function describeNumber(schema: $ZodNumber): string {
  const isWhole = schema instanceof $ZodNumberFormat && schema._zod.def.format === 'safeint';
  const noun = isWhole ? 'a whole number' : 'a number';
  const { from, to } = boundsOf(schema);
  if (from !== undefined && to !== undefined) return `${noun} between ${from} and ${to}`;
  if (from !== undefined) return `${noun} of at least ${from}`;
  return to === undefined ? noun : `${noun} of at most ${to}`;
}

function boundsOf(schema: $ZodNumber): { readonly from?: number; readonly to?: number } {
  const bounds: { from?: number; to?: number } = {};
  for (const check of schema._zod.def.checks ?? []) {
    if (check instanceof $ZodCheckGreaterThan) bounds.from = Number(check._zod.def.value);
    else if (check instanceof $ZodCheckLessThan) bounds.to = Number(check._zod.def.value);
  }
  // The largest safe integer means no limit.
  if (bounds.to === Number.MAX_SAFE_INTEGER) delete bounds.to;
  return bounds;
}

function describeUnion(union: $ZodUnion): string {
  if (formsOf(union).length > 0) return 'an object';
  return union._zod.def.options.map(describeOption).join(', or ');
}

function describeOption(option: $ZodType): string {
  // Only secret references are a union of objects inside another union.
  if (option instanceof $ZodDiscriminatedUnion) return 'a {source, provider, id} reference';
  return describeType(option);
}

function oneOf(values: readonly unknown[]): string {
  const written = values.map((value) => JSON.stringify(value));
  return written.length === 1 ? written.join('') : `one of ${written.join(', ')}`;
}
