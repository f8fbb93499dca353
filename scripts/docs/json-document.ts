import type * as z from 'zod/mini';

/** A JSON document of the program, for docs/json.md. */
export interface JsonDocument {
  readonly title: string;
  readonly introduction: string;
  readonly schema: z.ZodMiniType;
  /** What each field means, by its path; every field of the schema has one. */
  readonly meanings: Readonly<Record<string, string>>;
  /** Must satisfy the schema. */
  readonly example: unknown;
}

/** The meanings of `warnings`, which every document has. */
export const WARNINGS = {
  warnings: 'What went less well, see [warning codes](errors.md#warning-codes); empty as a rule.',
  'warnings[].code': 'For programs.',
  'warnings[].message': 'For people.',
  'warnings[].hint': 'What to do about it.',
};

/** The meanings of fields that stand in a document below a path. */
export function below(
  path: string,
  meanings: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(meanings).map(([field, meaning]) => [`${path}${field}`, meaning]),
  );
}

/** The meanings of a diagnosis that stands in a document below a path. */
export function diagnosisMeanings(path: string): Readonly<Record<string, string>> {
  return below(path, DIAGNOSIS);
}

const DIAGNOSIS = {
  scope:
    '`path`: the whole way of a question. `named`: one provider alone, whatever is configured.',
  ok: 'False when questions cannot be embedded although a provider is chosen.',
  usable: 'Who would embed a question now; `null` when nobody can, or nobody is chosen.',
  provider: 'Who is chosen; `null` where memory is searched by words alone.',
  adapter: 'The adapter behind it.',
  checks: 'What was looked at, in this order; what does not apply is left out.',
  'checks[].check':
    '`selected`: who is chosen, by what. `key`: where the key is, and whether it can be read. `endpoint`: whether the address answers. `embed`: a word, really embedded. `vectors`: those in the index.',
  'checks[].state': '`off`: not used, or not tried because of an earlier failure.',
  'checks[].text': 'What was looked at, for people. Never a key.',
  'checks[].note': 'More about it.',
  'checks[].code': 'What went wrong, see [errors.md](errors.md).',
  'checks[].cause': 'The same for people.',
  'checks[].mend': 'What to do about it.',
  'checks[].location': 'Where the setting behind it is written.',
  'checks[].location.file': 'Absolute path.',
  'checks[].location.line': 'Counted from 1.',
  'checks[].location.column': 'Counted from 1.',
  'checks[].latencyMs': 'Of the connection, or of embedding; milliseconds.',
  'checks[].dimensions': 'Length of the vectors.',
  'checks[].passages': 'Only of `vectors`.',
  'checks[].passages.done': 'Passages with a vector that counts now.',
  'checks[].passages.all': 'Passages in the index.',
};
