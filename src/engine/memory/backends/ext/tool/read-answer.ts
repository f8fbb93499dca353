import { isRecord, parsedJson } from '../../../../support/text.js';
import { ToolFailure } from './open-tool.js';

/** One hit as the program reports it. */
export interface ToolHit {
  readonly collection: string;
  /** Relative to the collection's folder; older releases rewrite it, see find-file.ts. */
  readonly path: string;
  /** The first hexadecimal digits of the content's SHA-256. */
  readonly contentHash: string | undefined;
  readonly score: number;
  /** 1-based best line; undefined when not reported. */
  readonly line: number | undefined;
  /** Lines of the file around it, as they were when it was indexed. */
  readonly lines: readonly string[];
}

/**
 * Parses the output of a search: a JSON array, possibly with other lines around it.
 *
 * @throws ToolFailure BACKEND_FAILED when there is no answer in it
 */
export function readAnswer(stdout: string): readonly ToolHit[] {
  const value = jsonArrayIn(stdout);
  if (value === undefined) {
    // Printed without any JSON; a note may contain the same words.
    if (/^No results found/imu.test(stdout)) return [];
    throw new ToolFailure(
      'BACKEND_FAILED',
      `the external search program printed an unreadable answer: ${JSON.stringify(firstLine(stdout))}`,
      'run the program yourself; svc needs its JSON output',
    );
  }
  return value.flatMap(hitOf);
}

/** One entry of an answer, from a run or over MCP; nothing for one without a file. */
export function hitOf(value: unknown): readonly ToolHit[] {
  if (!isRecord(value)) return [];
  const place = placeOf(value);
  if (place === undefined) return [];
  const body = textOf(value['snippet']) ?? textOf(value['body']) ?? '';
  const { startLine, lines } = snippetLines(body);
  const docid = textOf(value['docid']) ?? textOf(value['hash']);
  return [
    {
      ...place,
      contentHash: /^#?([0-9a-f]{6,64})$/u.exec(docid ?? '')?.[1],
      score: scoreOf(value['score']),
      line: lineOf(value['start_line']) ?? startLine ?? lineOf(value['line']),
      lines,
    },
  ];
}

function placeOf(value: Readonly<Record<string, unknown>>) {
  const file = textOf(value['file']) ?? textOf(value['path']) ?? textOf(value['displayPath']);
  if (file === undefined) return undefined;
  const named = textOf(value['collection']);
  const whole = file.replace(/^qmd:\/\//u, '').replace(/^\/+/u, '');
  const slash = whole.indexOf('/');
  if (named !== undefined && !whole.startsWith(`${named}/`)) {
    return { collection: named, path: whole };
  }
  if (slash <= 0 || slash === whole.length - 1) return undefined;
  return { collection: whole.slice(0, slash), path: whole.slice(slash + 1) };
}

const HEADER = /^@@ -(\d{1,9}),\d{1,9} @@/u;
const NUMBERED = /^\s*\d{1,9}: ?/u;

/** A snippet without its header and, over MCP, without line numbers. */
function snippetLines(body: string) {
  const all = body.split('\n');
  const [first = ''] = all;
  const isNumbered = HEADER.test(first.replace(NUMBERED, '')) && NUMBERED.test(first);
  const plain = isNumbered ? all.map((line) => line.replace(NUMBERED, '')) : all;
  const header = HEADER.exec(plain[0] ?? '');
  const startLine = header === null ? undefined : lineOf(Number(header[1]));
  return { startLine, lines: header === null ? plain : plain.slice(1) };
}

/** Only the first few brackets can start an answer, which bounds the work on a text full of them. */
const MOST_BEGINNINGS = 100;

/** Extracts the answer from the output: the first array of objects, else an empty one. */
function jsonArrayIn(text: string): readonly unknown[] | undefined {
  let empty: readonly unknown[] | undefined;
  let tried = 0;
  for (const { index } of text.matchAll(/\[(?=\s*[{\]])/gu)) {
    if (tried++ === MOST_BEGINNINGS) break;
    const value = parsedJson(text.slice(index, endOfArray(text, index)));
    // It may be a bracket in a banner.
    if (!Array.isArray(value)) continue;
    if (value.length > 0) return value;
    empty ??= value;
  }
  return empty;
}

/** Where the bracket at a position is closed, ignoring brackets in strings. */
function endOfArray(text: string, start: number): number {
  let depth = 0;
  let isText = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (isText && character === '\\') at += 1;
    else if (character === '"') isText = !isText;
    else if (!isText && character === '[') depth += 1;
    else if (!isText && character === ']') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return text.length;
}

/** How many documents an update indexed. */
export type UpdateCounts = Readonly<ReturnType<typeof readCounts>>;

const INDEXED = /Indexed: (\d+) new, (\d+) updated, (\d+) unchanged, (\d+) removed/gu;

/** Sums up what an update, or adding a collection, reports per collection. */
export function readCounts(stdout: string) {
  const sum = { added: 0, changed: 0, unchanged: 0, removed: 0 };
  for (const [, added, changed, unchanged, removed] of stdout.matchAll(INDEXED)) {
    sum.added += Number(added);
    sum.changed += Number(changed);
    sum.unchanged += Number(unchanged);
    sum.removed += Number(removed);
  }
  return sum;
}

/** How many documents have no vector; undefined when not reported. Each command counts all documents, so the last one is right. */
export function readPending(stdout: string): number | undefined {
  const last = [...stdout.matchAll(/(?<!\d)(\d+) unique hash(?:es)? needs? vectors?/gu)].at(-1);
  return last === undefined ? undefined : Number(last[1]);
}

export type ListedCollection = Readonly<ReturnType<typeof readCollections>[number]>;

/** Parses `collection list`, which has no JSON in any release. */
export function readCollections(stdout: string) {
  const found: { name: string; pattern: string | undefined; files: number | undefined }[] = [];
  for (const line of stdout.split('\n')) {
    const name = /^(\S+) \(qmd:\/\//u.exec(line)?.[1];
    if (name !== undefined) found.push({ name, pattern: undefined, files: undefined });
    const last = found.at(-1);
    if (last === undefined) continue;
    const pattern = /^\s+Pattern:\s+(\S.*)$/u.exec(line)?.[1]?.trimEnd();
    const files = /^\s+Files:\s+(\d+)/u.exec(line)?.[1];
    if (pattern !== undefined) last.pattern = pattern;
    if (files !== undefined) last.files = Number(files);
  }
  return found;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function lineOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 ? value : undefined;
}

function scoreOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0;
}

function firstLine(text: string): string {
  return (text.split('\n').find((line) => line.trim() !== '') ?? '').slice(0, 120);
}
