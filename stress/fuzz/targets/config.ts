import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import * as z from 'zod/mini';
import { setConfigValue, unsetConfigValue } from '../../../src/engine/config/authoring.js';
import { checkConfigText } from '../../../src/engine/config/check.js';
import {
  type ConfigPath,
  formatPath,
  parsePath,
  valueAt,
} from '../../../src/engine/config/config-path.js';
import { readConfigText } from '../../../src/engine/config/discovery.js';
import { parseConfigText } from '../../../src/engine/config/document.js';
import { coerceValue, parseKnownPath } from '../../../src/engine/config/known-path.js';
import { maskConfigText } from '../../../src/engine/config/masked-text.js';
import { resolveConfig } from '../../../src/engine/config/resolve-config.js';
import { configSchema } from '../../../src/engine/config/schema/index.js';
import { walkKeys } from '../../../src/engine/config/schema/walk.js';
import { SvcError } from '../../../src/engine/errors/index.js';
import { type EngineContext, resolveStatePaths } from '../../../src/engine/support/context.js';
import { isRecord } from '../../../src/engine/support/text.js';
import { tempFolder } from '../../../test/support/temp-folder.js';
import {
  type FuzzText,
  mangleText,
  repeatedText,
  textEdits,
  textOf,
  textSchema,
} from '../mangle.js';
import { type OpenTarget, openTarget } from '../target.js';

const inputSchema = z.object({
  text: textSchema,
  /** Arguments of `svc config set`. */
  path: z.string(),
  value: z.string(),
});
type CompactInput = z.infer<typeof inputSchema>;
interface Input extends Omit<CompactInput, 'text'> {
  readonly text: string;
}

const PATHS = [...walkKeys(configSchema)].map(({ path }) => path);

const key = fc.constantFrom('a', 'main', 'my.host', '0', '__proto__', 'length', 'ü "x"', '');
const schemaPath: fc.Arbitrary<ConfigPath> = fc
  .tuple(
    fc.constantFrom(...PATHS),
    fc.array(fc.oneof(key, fc.nat(2)), { minLength: 4, maxLength: 4 }),
  )
  .map(([path, stars]) => path.map((part, at) => (part === '*' ? (stars[at % 4] ?? 0) : part)));

const word = fc.oneof(
  fc.constantFrom(
    ...[
      'auto',
      'on',
      'off',
      'openai',
      'none',
      'true',
      '8',
      '0.5',
      '-1',
      '1e400',
      'null',
      '[]',
      '{}',
    ],
    ...[
      '["a","b"]',
      '"x"',
      'env:KEY',
      '$' + '{KEY}',
      'sk-0123456789abcdef0123',
      '********',
      '',
      ' ',
    ],
    ...['*/5 * * * *', '{"a":1}', '[{"id":"main"}]', '/tmp', '~', '127.0.0.1', '\r', '\u2028'],
  ),
  fc.json({ maxDepth: 2 }),
  fc.string({ maxLength: 12 }),
);

/** A configuration file as people write it. */
const validText: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(fc.tuple(schemaPath, fc.oneof(word, fc.jsonValue({ maxDepth: 1 }))), { maxLength: 5 }),
    fc.constantFrom(0, 1, 2, 4, '\t'),
    fc.constantFrom('\n', '\r\n', '\r'),
    fc.constantFrom('', '// why\n', '/* a\nb */', '\uFEFF', '\u2028'),
  )
  .map(([entries, indent, lineEnd, comment]) => {
    const data = entries.reduce<unknown>((root, [path, value]) => withValue(root, path, value), {});
    const text = JSON.stringify(data, undefined, indent).replaceAll('{', () => `{${comment}`);
    return comment + text.replaceAll('\n', lineEnd);
  });

const PIECE = fc.constantFrom(
  ...[
    '{',
    '}',
    '[',
    ']',
    '"',
    ':',
    ',',
    '/',
    '*',
    '//',
    '/*',
    '*/',
    '\n',
    '\r',
    '\u2028',
    '\\',
    '\\u',
  ],
  ...[
    '\0',
    'a',
    '1',
    '-',
    '.',
    'e',
    'null',
    '"a"',
    '"a":',
    '😀',
    '\ud800',
    '\t',
    ' ',
    "'",
    '#',
    '\uFEFF',
  ],
);

const text: fc.Arbitrary<FuzzText> = fc.oneof(
  { weight: 5, arbitrary: validText },
  {
    weight: 4,
    arbitrary: fc
      .tuple(validText, textEdits(PIECE))
      .map(([valid, edits]) => mangleText(valid, edits)),
  },
  { weight: 1, arbitrary: fc.string({ unit: PIECE, maxLength: 60 }) },
  { weight: 1, arbitrary: repeatedText(fc.string({ unit: PIECE, maxLength: 3 }), 30_000) },
);

const inputs: fc.Arbitrary<CompactInput> = fc.record({
  text,
  path: fc.oneof(
    { weight: 6, arbitrary: schemaPath.map(formatPath) },
    { weight: 1, arbitrary: fc.string({ unit: PIECE, maxLength: 20 }) },
  ),
  value: word,
});

/**
 * Configuration text: any file is read, checked, shown and edited, or rejected with a SvcError. An edit changes
 * exactly what it should.
 */
export async function openConfigTarget(): Promise<OpenTarget> {
  const home = tempFolder();
  const file = home.at('svc.json');
  const env = { SVC_HOME: home.path };
  const context: EngineContext = {
    env,
    cwd: home.path,
    homeDir: home.path,
    state: resolveStatePaths(env, home.path),
    clock: { now: () => 0 },
  };
  return openTarget({
    inputs,
    schema: inputSchema,
    check: async (compact) => {
      const input = { ...compact, text: textOf(compact.text) };
      checkReading(file, input.text);
      await checkEdits(context, file, input);
    },
    close: () => rmSync(home.path, { recursive: true, force: true }),
  });
}

function checkReading(file: string, text: string): void {
  const { faults, warnings, input } = checkConfigText(file, text);
  const lines = text.split('\n').length;
  for (const { location, message } of [...faults, ...warnings]) {
    const isThere = location.line >= 1 && location.column >= 1;
    if (!isThere || location.line > Math.max(lines, text.split(/\r\n|\r|\n/u).length))
      throw new Error(`a fault at ${location.line}:${location.column} of ${lines} lines`);
    if (message === '') throw new Error('a fault without a message');
  }
  if ((input === undefined) === (faults.length === 0))
    throw new Error('neither invalid nor usable');
  if (input !== undefined) resolveConfig(input);
  const shown = maskConfigText(text);
  if (shown.length !== text.length) throw new Error('the shown text has another length');
}

async function checkEdits(
  context: EngineContext,
  file: string,
  { path, value, ...input }: Input,
): Promise<void> {
  const options = { configFile: file, signal: new AbortController().signal };
  // Files contain no lone surrogates.
  const text = Buffer.from(input.text).toString();
  writeFileSync(file, text);
  const before = dataOf(file);
  if (await isAccepted(setConfigValue(context, { path, value }, options))) {
    const known = parseKnownPath(path);
    const expected = withValue(before ?? {}, known, coerceValue(known, value));
    requireSame(dataOf(file), expected, 'set');
    const keptComments = typeof valueAt(before, known) !== 'object';
    if (keptComments) requireSameComments(text, readFileSync(file, 'utf8'));
  } else if (readFileSync(file, 'utf8') !== text) throw new Error('rejected but changed');
  const middle = readFileSync(file, 'utf8');
  if (await isAccepted(unsetConfigValue(context, { path }, options))) {
    // Keys that the schema does not have are removed, too.
    const isWritten = valueAt(parseConfigText(file, middle).value, parsePath(path)) !== undefined;
    const removed = isWritten ? parsePath(path) : parseKnownPath(path);
    if (valueAt(dataOf(file), removed) !== undefined && typeof removed.at(-1) !== 'number')
      throw new Error('removed but still there');
    if (valueAt(before, removed) === undefined) {
      // The value is removed; its parent groups may stay.
      requireSame(withoutEmpty(dataOf(file) ?? {}), withoutEmpty(before ?? {}), 'set and unset');
    }
  } else if (readFileSync(file, 'utf8') !== middle) throw new Error('rejected but changed');
}

/** Whether it succeeded; a SvcError is a valid result. */
async function isAccepted(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof SvcError) return false;
    throw error;
  }
}

function dataOf(file: string): unknown {
  return parseConfigText(file, readConfigText(file)).value;
}

function requireSame(actual: unknown, expected: unknown, subject: string): void {
  if (isDeepStrictEqual(plain(actual), plain(expected))) return;
  throw new Error(`${subject}: ${JSON.stringify(actual)} is not ${JSON.stringify(expected)}`);
}

/** Normalizes prototypes. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** Sets a value, creating missing parent groups. */
function withValue(root: unknown, [segment, ...rest]: ConfigPath, value: unknown): unknown {
  if (segment === undefined) return value;
  if (typeof segment === 'number') {
    const list: readonly unknown[] = Array.isArray(root) ? root : [];
    const at = Math.min(segment, list.length);
    return list.toSpliced(at, 1, withValue(list[at], rest, value));
  }
  const record = isRecord(root) ? root : {};
  const child = withValue(
    Object.hasOwn(record, segment) ? record[segment] : undefined,
    rest,
    value,
  );
  return fromEntries([
    ...Object.entries(record).filter(([name]) => name !== segment),
    [segment, child],
  ]);
}

/** Like JSON.parse, treats `__proto__` as an ordinary key. */
function fromEntries(entries: readonly (readonly [string, unknown])[]): unknown {
  return Object.fromEntries(entries);
}

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty).filter((child) => !isEmpty(child));
  if (!isRecord(value)) return value;
  const left = Object.entries(value).map(([name, child]) => [name, withoutEmpty(child)] as const);
  return fromEntries(left.filter(([, child]) => !isEmpty(child)));
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

const COMMENT = /"(?:[^"\\\r\n]|\\.)*"|(\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)/gu;

function commentsIn(text: string): readonly string[] {
  return [...text.matchAll(COMMENT)].flatMap(([, comment]) => comment ?? []);
}

function requireSameComments(before: string, after: string): void {
  const [was, is] = [commentsIn(before), commentsIn(after)];
  if (was.join('\n') !== is.join('\n'))
    throw new Error(`comments ${was.join()} became ${is.join()}`);
}
