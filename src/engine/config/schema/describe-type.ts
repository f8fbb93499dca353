import * as z from 'zod/mini';
import { NOTES } from './keys.js';
import { unwrap } from './walk.js';

/**
 * What a schema accepts, in words that fit after "must be": for faults and the reference page.
 */
export function describeType(schema: z.core.$ZodType): string {
  const inner = unwrap(schema);
  const form = NOTES.get(inner)?.form;
  if (form !== undefined) return form;
  if (inner instanceof z.core.$ZodBoolean) return 'true or false';
  if (inner instanceof z.core.$ZodNumber) return describeNumber(inner);
  if (inner instanceof z.core.$ZodString) return 'a string';
  if (inner instanceof z.core.$ZodEnum) return oneOf(Object.values(inner._zod.def.entries));
  if (inner instanceof z.core.$ZodLiteral) return oneOf(inner._zod.def.values);
  if (inner instanceof z.core.$ZodArray) {
    return `a list, each item ${describeType(inner._zod.def.element)}`;
  }
  if (inner instanceof z.core.$ZodUnion) return describeUnion(inner);
  return 'an object';
}

/** What any one of several schemas accepts; literals are listed together. */
export function describeTypes(schemas: readonly z.core.$ZodType[]): string {
  const literals = schemas.map(unwrap).filter((schema) => schema instanceof z.core.$ZodLiteral);
  if (literals.length > 1 && literals.length === schemas.length) {
    return oneOf(literals.flatMap((literal) => literal._zod.def.values));
  }
  return [...new Set(schemas.map(describeType))].join(', or ');
}

function describeNumber(schema: z.core.$ZodNumber): string {
  const noun = isWhole(schema) ? 'a whole number' : 'a number';
  const { from, to } = boundsOf(schema);
  if (from !== undefined && to !== undefined) return `${noun} from ${from} to ${to}`;
  if (from !== undefined) return `${noun}, ${from} or more`;
  return to === undefined ? noun : `${noun}, ${to} or less`;
}

function isWhole(schema: z.core.$ZodNumber): boolean {
  return schema instanceof z.core.$ZodNumberFormat && schema._zod.def.format === 'safeint';
}

function boundsOf(schema: z.core.$ZodNumber): { readonly from?: number; readonly to?: number } {
  const bounds: { from?: number; to?: number } = {};
  for (const check of schema._zod.def.checks ?? []) {
    if (check instanceof z.core.$ZodCheckGreaterThan) bounds.from = Number(check._zod.def.value);
    else if (check instanceof z.core.$ZodCheckLessThan) bounds.to = Number(check._zod.def.value);
  }
  // A bound at the end of the safe integers says nothing to a person.
  if (bounds.to === Number.MAX_SAFE_INTEGER) delete bounds.to;
  return bounds;
}

function describeUnion(union: z.core.$ZodUnion): string {
  const { options } = union._zod.def;
  if (options.every((option) => option instanceof z.core.$ZodObject)) return 'an object';
  return options.map(describeOption).join(', or ');
}

function describeOption(option: z.core.$ZodType): string {
  // The only union of objects inside another union is that of secret references.
  if (option instanceof z.core.$ZodDiscriminatedUnion) return 'a {source, provider, id} reference';
  return describeType(option);
}

function oneOf(values: readonly unknown[]): string {
  const written = values.map((value) => JSON.stringify(value));
  return written.length === 1 ? written.join('') : `one of ${written.join(', ')}`;
}
