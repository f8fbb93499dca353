import { snakeCase } from '../support/text.js';
import { iso } from '../support/time.js';

/**
 * One field of a stored record. Everything else derives from it: the type of the record, its column, what
 * webhooks and operators see, their schemas (record-schemas.ts) and the documentation. It is plain data,
 * because commands that show a flow must not load zod.
 */
export interface Field {
  /**
   * `time`: milliseconds since the epoch, shown to operators as a date. `json`: JSON as text, sent to
   * webhooks as JSON. `flag`: true or false. A list: one of these words.
   */
  readonly kind: 'count' | 'flag' | 'json' | 'number' | 'text' | 'time' | readonly string[];
  /** In Markdown. */
  readonly meaning: string;
  /** Whether it can be empty, which is `null` here. */
  readonly nullable?: true;
  /** Its column, unless that is its name in snake_case. */
  readonly column?: string;
  /** Its name for operators, if another; false hides it from them. */
  readonly operators?: string | false;
  /** False hides it from webhooks; `maybe` does not promise that it is present. */
  readonly webhooks?: 'maybe' | false;
}

type FieldExtras = Omit<Field, 'kind' | 'meaning' | 'nullable'>;

/** A field that is never empty. */
export function field<
  const Kind extends Field['kind'],
  const Extras extends FieldExtras = Record<never, never>,
>(kind: Kind, meaning: string, extras?: Extras) {
  return { kind, meaning, ...extras } as { kind: Kind; meaning: string } & Extras;
}

/** A field that can be empty. */
export function nullable<
  const Kind extends Field['kind'],
  const Extras extends FieldExtras = Record<never, never>,
>(kind: Kind, meaning: string, extras?: Extras) {
  return { ...field(kind, meaning, extras), nullable: true } as const;
}

/** The fields of a record, in the order in which they are shown. */
export type Fields = Readonly<Record<string, Field>>;

type ValueOf<F extends Field> =
  | (F['kind'] extends readonly (infer Word extends string)[]
      ? Word
      : F['kind'] extends 'flag'
        ? boolean
        : F['kind'] extends 'count' | 'number' | 'time'
          ? number
          : string)
  | (F extends { nullable: true } ? null : never);

/** A record as it is stored. */
export type RecordOf<Fs extends Fields> = { readonly [Name in keyof Fs]: ValueOf<Fs[Name]> };

/** The name of a field for operators; never for a hidden one. */
type PrintedName<F extends Field, Name> = F extends { kind: 'json' } | { operators: false }
  ? never
  : F extends { operators: infer Other extends string }
    ? Other
    : Name;

/** A record as operators see it. */
export type PrintedOf<Fs extends Fields> = {
  readonly [Name in keyof Fs as PrintedName<Fs[Name], Name>]: Fs[Name]['kind'] extends 'time'
    ? string | Extract<ValueOf<Fs[Name]>, null>
    : ValueOf<Fs[Name]>;
};

/** Whether a field is stored as a number; all others are stored as text. */
export function isNumeric(field: Field | undefined): boolean {
  return field?.kind === 'count' || field?.kind === 'time';
}

export function columnsOf(fields: Fields): readonly (readonly [name: string, column: string])[] {
  return Object.entries(fields).map(([name, { column }]) => [name, column ?? snakeCase(name)]);
}

/** The fields that operators see. */
export function printedFields(
  fields: Fields,
): readonly (readonly [printed: string, name: string, field: Field])[] {
  return Object.entries(fields).flatMap(([name, field]) =>
    field.kind === 'json' || field.operators === false
      ? []
      : [[field.operators ?? name, name, field] as const],
  );
}

/** The fields that webhooks see: first those always present, then those left out while empty. */
export function webhookFields(
  fields: Fields,
): readonly (readonly [name: string, field: Field, isAlwaysPresent: boolean])[] {
  const seen = Object.entries(fields).filter(([, { webhooks }]) => webhooks !== false);
  return seen
    .map(
      ([name, field]) =>
        [name, field, field.nullable !== true && field.webhooks !== 'maybe'] as const,
    )
    .toSorted(([, , a], [, , b]) => Number(b) - Number(a));
}

/** Shows a record to operators: every field, times as dates. */
export function printer<Fs extends Fields>(fields: Fs): (record: RecordOf<Fs>) => PrintedOf<Fs> {
  const printed = printedFields(fields);
  return (record) => {
    const values: Readonly<Record<string, boolean | number | string | null>> = record;
    const entries = printed.map(([shown, name, { kind }]) => {
      const value = values[name] ?? null;
      return [shown, kind === 'time' && value !== null ? iso(Number(value)) : value];
    });
    return Object.fromEntries(entries) as PrintedOf<Fs>;
  };
}

/** Shows a record to outside systems: empty fields are left out, JSON text becomes JSON. */
export function viewer<Fs extends Fields>(fields: Fs): (record: RecordOf<Fs>) => JsonObject {
  const seen = webhookFields(fields);
  return (record) => {
    const values: Readonly<Record<string, boolean | number | string | null>> = record;
    const view: Record<string, JsonValue> = {};
    for (const [name, { kind }] of seen) {
      const value = values[name] ?? null;
      if (value === null || value === '') continue;
      view[name] = kind === 'json' ? fromJsonText(String(value)) : value;
    }
    return view;
  };
}

/** All fields that can be empty, empty. */
export function emptyFields<Fs extends Fields>(fields: Fs): EmptyOf<Fs> {
  const names = Object.keys(fields).filter((name) => fields[name]?.nullable === true);
  return Object.fromEntries(names.map((name) => [name, null])) as EmptyOf<Fs>;
}

type EmptyOf<Fs extends Fields> = {
  readonly [Name in keyof Fs as Fs[Name] extends { nullable: true } ? Name : never]: null;
};

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

export type JsonObject = { readonly [key: string]: JsonValue };

/** Parses the JSON text of a record. */
export function fromJsonText(text: string): JsonValue {
  const value: JsonValue = JSON.parse(text);
  return value;
}
