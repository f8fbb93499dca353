import fc from 'fast-check';
import * as z from 'zod/mini';

/** A change of plain data: which of its values, and what is done to it. */
export interface DataEdit {
  /** Picks a value; any number does. */
  readonly pick: number;
  readonly kind: 'double' | 'put' | 'remove';
  readonly value: unknown;
}

/** A change of a text: where, as a share of its length, and what is done there. */
export interface TextEdit {
  /** 0 to 1. */
  readonly at: number;
  readonly kind: 'cut' | 'double' | 'end' | 'put';
  /** Characters that are cut or doubled. */
  readonly length: number;
  readonly text: string;
}

/** What JSON is made of, and characters that break it. */
export const JSON_PIECES = ['"', '\\', '{', '}', '[', ']', ',', ':', '\0', '\uFEFF'] as const;

/** Data that is like nothing anybody expects. */
export const oddData: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    ...[null, true, false, 0, -1, 0.5, 1e308, -1e308, 9_007_199_254_740_992, 5e-324],
    ...['', ' ', '\0', 'x', '-1', 'NaN', '\ud800', '🦊', 'x'.repeat(5000), '../../etc/passwd'],
    ...[[], {}, [[]], [null], { length: 3 }, { length: -1 }],
    // Converting them to a text or number throws.
    ...[{ toString: 1, valueOf: 1 }, { length: { toString: 1, valueOf: 1 } }],
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Arbitrary changes to data. */
export const dataEdits: fc.Arbitrary<readonly DataEdit[]> = fc.array(
  fc.record({
    pick: fc.nat(5000),
    kind: fc.constantFrom('put', 'put', 'remove', 'double'),
    value: oddData,
  }),
  { maxLength: 4 },
);

/** Arbitrary changes to a text. */
export function textEdits(parts: fc.Arbitrary<string>): fc.Arbitrary<readonly TextEdit[]> {
  return fc.array(
    fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      kind: fc.constantFrom('put', 'put', 'cut', 'double', 'end'),
      length: fc.nat(40),
      text: parts,
    }),
    { maxLength: 5 },
  );
}

/** Applies changes to a copy of the data. */
export function mangleData(data: unknown, edits: readonly DataEdit[]): unknown {
  return edits.reduce(editData, data);
}

/** Applies changes to a text. */
export function mangleText(text: string, edits: readonly TextEdit[]): string {
  return edits.reduce(editText, text);
}

/** A text, or a short text with a repeat count: makes patterns backtrack, and is small in a file. */
export const textSchema = z.union([
  z.string(),
  z.object({ before: z.string(), part: z.string(), times: z.number(), after: z.string() }),
]);
export type FuzzText = z.infer<typeof textSchema>;

/** Repeated short texts, up to so many characters. */
export function repeatedText(unit: fc.Arbitrary<string>, longest: number): fc.Arbitrary<FuzzText> {
  return fc
    .record({ before: unit, part: unit, after: unit, length: fc.nat(longest) })
    .map(({ before, part, after, length }) => {
      return { before, part, times: Math.floor(length / Math.max(1, part.length)), after };
    });
}

/** Expands the text. */
export function textOf(text: FuzzText): string {
  if (typeof text === 'string') return text;
  return text.before + text.part.repeat(text.times) + text.after;
}

function editData(data: unknown, { pick, kind, value }: DataEdit): unknown {
  const at = pick % countOf(data);
  let seen = 0;
  const visit = (node: unknown): readonly unknown[] => {
    const isTarget = seen === at;
    seen += 1;
    if (isTarget && kind === 'remove') return [];
    if (isTarget && kind === 'put') return [value];
    const same = editChildren(node, visit);
    return isTarget ? [same, same] : [same];
  };
  return visit(data)[0] ?? null;
}

function editChildren(node: unknown, visit: (node: unknown) => readonly unknown[]): unknown {
  if (Array.isArray(node)) return node.flatMap(visit);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).flatMap(([name, child]) => {
      const [edited] = visit(child);
      return edited === undefined ? [] : [[name, edited] as const];
    }),
  );
}

function countOf(node: unknown): number {
  if (typeof node !== 'object' || node === null) return 1;
  return Object.values(node).reduce<number>((sum, child) => sum + countOf(child), 1);
}

function editText(text: string, { at, kind, length, text: put }: TextEdit): string {
  const start = Math.floor(at * text.length);
  switch (kind) {
    case 'cut':
      return text.slice(0, start) + text.slice(start + length);
    case 'double':
      return text.slice(0, start + length) + text.slice(start);
    case 'put':
      return text.slice(0, start) + put + text.slice(start);
    case 'end':
      return text.slice(0, start);
  }
}

/** Valid JSON with some values replaced. */
export function mangledJson(valid: readonly unknown[]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...valid), dataEdits)
    .map(([data, edits]) => JSON.stringify(mangleData(data, edits)));
}

/** The same, also with syntax errors. */
export function mangledJsonText(
  valid: readonly unknown[],
  parts: fc.Arbitrary<string>,
): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...valid), textEdits(parts))
    .map(([data, edits]) => mangleText(JSON.stringify(data), edits));
}
