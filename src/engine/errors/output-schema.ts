import * as z from 'zod/mini';

/*
 * Parts of the schemas in the files output-schemas.ts. Tests check what commands print against them
 * and docs/json.md is generated from them; no command loads those files.
 */

/**
 * Describes a field of a JSON document in Markdown. docs/json.md is generated from these descriptions;
 * every field has one.
 */
export function field<T extends z.ZodMiniType>(schema: T, meaning: string): T {
  return schema.check(z.describe(meaning));
}

// Fields of the most common types.
field.text = (meaning: string) => field(z.string(), meaning);
field.textOrNull = (meaning: string) => field(z.nullable(z.string()), meaning);
field.optionalText = (meaning: string) => field(z.optional(z.string()), meaning);
field.texts = (meaning: string) => field(z.array(z.string()), meaning);
field.flag = (meaning: string) => field(z.boolean(), meaning);
field.count = (meaning: string) => field(count, meaning);
field.time = (meaning: string) => field(z.iso.datetime(), meaning);
field.timeOrNull = (meaning: string) => field(z.nullable(z.iso.datetime()), meaning);

type Shape = Record<string, z.ZodMiniType>;

/** A list of objects with these fields. */
export function listOf<Fields extends Shape>(fields: Fields) {
  return z.array(z.strictObject(fields));
}

/** A field with a list of objects. */
export function listField<Fields extends Shape>(meaning: string, fields: Fields) {
  return field(listOf(fields), meaning);
}

/** A field with an object. */
export function objectField<Fields extends Shape>(meaning: string, fields: Fields) {
  return field(z.strictObject(fields), meaning);
}

/** A field with an object or `null`. */
export function objectOrNullField<Fields extends Shape>(meaning: string, fields: Fields) {
  return field(z.nullable(z.strictObject(fields)), meaning);
}

/** A field with an object, which may be absent. */
export function optionalObjectField<Fields extends Shape>(meaning: string, fields: Fields) {
  return field(z.optional(z.strictObject(fields)), meaning);
}

/** `warnings` of every JSON document; messages and hints are for people, codes for programs. */
export const warningsSchema = listField(
  'Problems that did not fail the command, see [warning codes](errors.md#warning-codes); usually empty.',
  {
    code: field.text('For programs.'),
    message: field.text('For people.'),
    hint: field.optionalText('What to do about it.'),
  },
);

/** The JSON document of a command. */
export function documentSchema<Fields extends Shape>(fields: Fields) {
  return z.strictObject({ ...fields, warnings: warningsSchema });
}

/** Plain data that nobody changes. */
export type DeepReadonly<T> = T extends object
  ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
  : T;

/** A document as commands return it: the command base adds its warnings. */
export type DocumentOf<Schema extends z.ZodMiniType> = DeepReadonly<
  Omit<z.infer<Schema>, 'warnings'>
>;

/** How many there are of something. */
export const count = z.int().check(z.minimum(0));

/** A line or column of a file, counted from 1. */
export const line = z.int().check(z.minimum(1));

/** A place in a text file. */
export const locationFields = {
  file: field.text('Absolute path.'),
  line: field(line, '1-based.'),
  column: field(line, '1-based, in UTF-16 code units.'),
};

/** The lines of a text that change, and some around them. */
export const diffSchema = listOf({
  kind: field(z.enum(['added', 'context', 'removed']), '`context` stays as it is.'),
  text: field.text('One line.'),
});

export const forDisplay = field.text('For display.');
export const hint = field.text('How to fix it.');

/** An error inside a document. */
export const failureSchema = z.strictObject({
  code: field.text('See [errors.md](errors.md#error-codes).'),
  message: forDisplay,
  hint: z.optional(hint),
});

/** What `--json` prints when a command fails. */
export const errorOutputSchema = z.strictObject({
  error: objectField('The error that ended the command.', {
    ...failureSchema.shape,
    location: optionalObjectField('Position in a file.', locationFields),
    details: field(
      z.optional(z.record(z.string(), z.unknown())),
      'Additional data by code: `CONFIG_INVALID` lists its `faults` here.',
    ),
  }),
});
