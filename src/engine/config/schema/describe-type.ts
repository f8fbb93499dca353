// Named imports, because the `core` namespace of zod/mini would pull all of zod into the bundle.
import {
  $ZodArray,
  $ZodBoolean,
  $ZodCheckGreaterThan,
  $ZodCheckLessThan,
  $ZodDiscriminatedUnion,
  $ZodEnum,
  $ZodLiteral,
  $ZodNumber,
  $ZodNumberFormat,
  $ZodObject,
  $ZodRecord,
  $ZodString,
  type $ZodType,
  $ZodUnion,
} from 'zod/v4/core';
import { NOTES } from './keys.js';
import { unwrap } from './walk.js';

/**
 * What a schema accepts, in words that fit after "must be": for faults and the reference page.
 */
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
    return `a list, each item ${describeType(inner._zod.def.element)}`;
  }
  if (inner instanceof $ZodRecord)
    return `an object, each value ${describeType(inner._zod.def.valueType)}`;
  if (inner instanceof $ZodUnion) return describeUnion(inner);
  return 'an object';
}

/** What any one of several schemas accepts; literals are listed together. */
export function describeTypes(schemas: readonly $ZodType[]): string {
  const literals = schemas.map(unwrap).filter((schema) => schema instanceof $ZodLiteral);
  if (literals.length > 1 && literals.length === schemas.length) {
    return oneOf(literals.flatMap((literal) => literal._zod.def.values));
  }
  return [...new Set(schemas.map(describeType))].join(', or ');
}

function describeNumber(schema: $ZodNumber): string {
  const noun = isWhole(schema) ? 'a whole number' : 'a number';
  const { from, to } = boundsOf(schema);
  if (from !== undefined && to !== undefined) return `${noun} from ${from} to ${to}`;
  if (from !== undefined) return `${noun}, ${from} or more`;
  return to === undefined ? noun : `${noun}, ${to} or less`;
}

function isWhole(schema: $ZodNumber): boolean {
  return schema instanceof $ZodNumberFormat && schema._zod.def.format === 'safeint';
}

function boundsOf(schema: $ZodNumber): { readonly from?: number; readonly to?: number } {
  const bounds: { from?: number; to?: number } = {};
  for (const check of schema._zod.def.checks ?? []) {
    if (check instanceof $ZodCheckGreaterThan) bounds.from = Number(check._zod.def.value);
    else if (check instanceof $ZodCheckLessThan) bounds.to = Number(check._zod.def.value);
  }
  // A bound at the end of the safe integers says nothing to a person.
  if (bounds.to === Number.MAX_SAFE_INTEGER) delete bounds.to;
  return bounds;
}

function describeUnion(union: $ZodUnion): string {
  const { options } = union._zod.def;
  if (options.every((option) => option instanceof $ZodObject)) return 'an object';
  return options.map(describeOption).join(', or ');
}

function describeOption(option: $ZodType): string {
  // The only union of objects inside another union is that of secret references.
  if (option instanceof $ZodDiscriminatedUnion) return 'a {source, provider, id} reference';
  return describeType(option);
}

function oneOf(values: readonly unknown[]): string {
  const written = values.map((value) => JSON.stringify(value));
  return written.length === 1 ? written.join('') : `one of ${written.join(', ')}`;
}
