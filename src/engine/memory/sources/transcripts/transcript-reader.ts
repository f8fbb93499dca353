import { isAbsolute } from 'node:path';
import type { SessionReaderId } from '../../../config/index.js';
import { redactSecrets } from '../../../masking/index.js';
import { crypto } from '../../../support/crypto.js';
import { isInside } from '../../../support/paths.js';
import { isRecord, parsedJson } from '../../../support/text.js';
import type { SkippedFile, SourceFile } from '../../types.js';
import type { WalkListener } from '../walk.js';

export type TurnRole = 'assistant' | 'user';

/** The conversation turn in one line of a transcript. */
export interface Turn {
  readonly role: TurnRole;
  /** Not empty; line ends as written. */
  readonly text: string;
  /** ISO 8601; undefined when the line has no time. */
  readonly at: string | undefined;
}

/** A turn with its place in the conversation. */
export interface NumberedTurn extends Turn {
  /** Its line in the transcript, or its number where a transcript has no lines; 1-based. */
  readonly line: number;
}

/** A folder with transcripts of one kind. */
export interface TranscriptPlace {
  readonly reader: SessionReaderId;
  /** Absolute path; need not exist. */
  readonly root: string;
  /** What replaces the folder in displayed paths: `sessions/main`. */
  readonly label: string;
  /** Only conversations in these folders or below belong to the memory; undefined for all. */
  readonly projectFolders: readonly string[] | undefined;
}

/** A transcript with what is needed to read it. */
export interface TranscriptFile extends SourceFile {
  readonly place: TranscriptPlace;
  /** Reads a conversation that is not a file of plain lines. @throws the error of its store */
  readonly turns?: (() => Iterable<NumberedTurn>) | undefined;
}

/** Transcripts that were found, and places that cannot be read. */
export interface TranscriptScan {
  readonly files: readonly TranscriptFile[];
  readonly skipped: readonly SkippedFile[];
}

/** The result of reading one line. */
export type LineMeaning =
  | { readonly type: 'turn'; readonly turn: Turn; readonly key?: string | undefined }
  /** The whole file is not indexed: a scheduled run, a diary, a conversation of other agents. */
  | { readonly type: 'exclude' }
  /** Tool calls, results, thinking, bookkeeping. */
  | { readonly type: 'noise' };

/** A line's JSON object. */
export type LineRecord = Readonly<Record<string, unknown>>;

/** What a reader needs to determine its default location. */
interface ReaderContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDir: string;
  /** Absolute path of the folder with svc's own transcripts of this agent. */
  readonly agentSessionsDir: string;
}

/** How one agent stores transcripts: one JSON object per line, appended. */
export interface TranscriptReader {
  /** Absolute path of the default transcripts folder. */
  defaultLocation(context: ReaderContext): string;
  /**
   * Whether a file is a transcript, by its path segments below the place. Also called with folders: whether
   * they may contain transcripts.
   */
  accepts(segments: readonly string[], kind: 'file' | 'folder'): boolean;
  /**
   * Whether a conversation may be of a project in one of these folders, by its path only; for agents whose
   * files do not record it.
   */
  mayBeOfProject?(segments: readonly string[], folders: readonly string[]): boolean;
  /** For {@link isOfProject}; undefined when the line does not have it. */
  folderOf?(record: LineRecord): string | undefined;
  read(record: LineRecord): LineMeaning;
  /** The conversations of an agent that stores them in a database instead of files. */
  conversations?(place: TranscriptPlace, listener: WalkListener): Iterable<TranscriptFile>;
}

/** The object that a text is the JSON of; undefined for anything else. */
export function recordIn(json: unknown): LineRecord | undefined {
  const value = typeof json === 'string' ? parsedJson(json) : undefined;
  return isRecord(value) ? value : undefined;
}

/** A field that is an object. */
export function objectField(record: LineRecord, name: string): LineRecord | undefined {
  const value = record[name];
  return isRecord(value) ? value : undefined;
}

/** A field that is a string. */
export function stringField(record: LineRecord, name: string): string | undefined {
  const value = record[name];
  return typeof value === 'string' ? value : undefined;
}

/**
 * The text of a message's content: a string, or those of its parts that are text. Others are tool calls, results,
 * pictures, thinking.
 */
export function textOfContent(
  content: unknown,
  isText: (part: LineRecord) => boolean = ({ type }) => type === 'text',
): string {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  return parts
    .flatMap((part) => {
      if (typeof part === 'string') return part;
      return isRecord(part) && isText(part) ? (stringField(part, 'text') ?? []) : [];
    })
    .join('\n');
}

/** A time as ISO 8601, from ISO 8601 or milliseconds since the epoch; undefined for anything else, and for 0. */
export function timeOf(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const time = new Date(value);
  return time.getTime() > 0 ? time.toISOString() : undefined;
}

/** The role by its name on the wire; undefined for system, tool, developer and others. */
export function roleOf(word: string | undefined): TurnRole | undefined {
  return word === 'user' || word === 'assistant' ? word : undefined;
}

/** A text without secrets, and without what an index cannot store: NUL, and halves of characters. */
export function maskedText(text: string): string {
  return redactSecrets(text.toWellFormed().replaceAll('\0', ' '));
}

/**
 * Whether a conversation is of a project in one of some folders or below.
 *
 * @param about its folder, or the SHA-256 of the folder's path, hexadecimal
 */
export function isOfProject(about: string, folders: readonly string[]): boolean {
  return folders.some((folder) =>
    isAbsolute(about) ? isInside(about, folder) : crypto().hash('sha256', folder) === about,
  );
}

/** A turn, or noise for an empty text. */
export function turnOrNoise(
  role: TurnRole | undefined,
  text: string,
  at: string | undefined,
  key?: string | undefined,
): LineMeaning {
  if (role === undefined || text === '') return NOISE;
  return { type: 'turn', turn: { role, text, at }, key };
}

export const NOISE: LineMeaning = { type: 'noise' };

/** Blocks `<tag …>…</tag>`, not those of longer names; one that is not closed extends to the end of the text. */
export function blocksOf(tags: readonly string[]): RegExp {
  return new RegExp(`<(?<tag>${tags.join('|')})(?=[\\s/>]).*?(?:</\\k<tag>\\s{0,9}>|$)`, 'gisu');
}

/**
 * What programs put before a message: recalled memory and notes on the environment. Indexing it would make
 * every recall an echo of the last.
 */
const INJECTED = blocksOf([
  'active_memory_plugin',
  'active_memory',
  'active-memory',
  'memory-context',
  'memory_context',
  'relevant-memories',
  'relevant_memories',
  'recalled-memory',
  'recalled_memory',
  'svc-memory',
  'svc_memory',
  'system-reminder',
]);

/** The line that announces injected memory: what follows is not an instruction. */
const INJECTION_LABEL =
  /^.{0,80}\buntrusted\b.{0,120}\b(?:not|never|no)\b.{0,40}\binstructions?\b.{0,120}$/imu;

/** A text without injected memory, and without other blocks that a program adds. */
export function withoutInjections(text: string, blocks?: RegExp): string {
  const own = blocks === undefined ? text : text.replaceAll(blocks, '');
  const cleaned = own.replaceAll(INJECTED, '');
  return (cleaned === own ? own : cleaned.replace(INJECTION_LABEL, '')).trim();
}

/** A folder name made from a path as coding agents do it: every other character becomes a `-`. */
export function folderSlug(folder: string): string {
  return folder.replaceAll(/[^A-Za-z0-9]/gu, '-');
}

/** `zstdDecompressSync` of Node.js 22.15 and newer, which the types of Node.js 20 lack; undefined before. */
export function zstdDecompressor() {
  const zlib: typeof import('node:zlib') & {
    readonly zstdDecompressSync?: (
      packed: Uint8Array,
      options: { readonly maxOutputLength: number },
    ) => Buffer;
  } = process.getBuiltinModule('node:zlib');
  return zlib.zstdDecompressSync;
}
