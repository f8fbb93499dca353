import * as z from 'zod/mini';

/** One field of a JSON document, for a table. */
export interface FieldRow {
  /** Like `results[].path`. */
  readonly path: string;
  /** Its type, in words. */
  readonly type: string;
  /** False if the field is optional. */
  readonly always: boolean;
  /** Its description in Markdown, if the schema has one. */
  readonly meaning: string | undefined;
}

/** The subset of JSON Schema that output schemas use. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** The fields of a document in schema order, with the alternatives of unions merged. */
export function fieldRows(schema: z.ZodMiniType): readonly FieldRow[] {
  const rows = new Map<string, FieldRow>();
  collect(z.toJSONSchema(schema) as Schema, '', true, rows);
  return [...rows.values()];
}

function collect(schema: Schema, prefix: string, always: boolean, rows: Map<string, FieldRow>) {
  const objects = alternatives(schema).filter((one) => one.properties !== undefined);
  const names = new Set(objects.flatMap((one) => Object.keys(one.properties ?? {})));
  for (const name of names) {
    const declaring = objects.filter((one) => one.properties?.[name] !== undefined);
    const everywhere = declaring.length === objects.length;
    const required = everywhere && declaring.every((one) => one.required?.includes(name) === true);
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const values = declaring.flatMap((one) => one.properties?.[name] ?? []);
    const meaning = values.find(({ description }) => description !== undefined)?.description;
    rows.set(path, { path, type: typeInWords(values), always: always && required, meaning });
    collect({ anyOf: values.map(itemOf) }, values.some(isList) ? `${path}[]` : path, true, rows);
  }
}

function alternatives(schema: Schema): readonly Schema[] {
  const parts = schema.anyOf ?? schema.oneOf;
  return parts === undefined ? [schema] : parts.flatMap(alternatives);
}

function isList(schema: Schema): boolean {
  return schema.items !== undefined;
}

function itemOf(schema: Schema): Schema {
  return schema.items ?? schema;
}

function typeInWords(schemas: readonly Schema[]): string {
  return [...new Set(schemas.flatMap(alternatives).map(wordsFor))].join(' or ');
}

function wordsFor(schema: Schema): string {
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(' or ');
  if (schema.items !== undefined) {
    const item = typeInWords([schema.items]);
    return /^\w+$/.test(item) ? `list of ${item}s` : `list, each ${item}`;
  }
  if (schema.format === 'date-time') return 'time, ISO 8601';
  if (schema.type === 'integer') return 'whole number';
  if (schema.type === undefined) return 'any value';
  return typeof schema.type === 'string' ? schema.type : schema.type.join(' or ');
}
