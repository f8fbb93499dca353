import type { EmbeddingAdapter } from '../../embeddings/index.js';
import type { MediaInput, TextInput } from '../../providers/vendor.js';
import type { MemoryIndex, MissingMedia } from '../index/index.js';
import { absoluteFromDisplay, readMedia, resolveWorkspace } from '../sources/index.js';

interface Keyed {
  /** Unique: see {@link pieceOfKey}. */
  readonly key: string;
}

/** A piece of a passage without a vector. */
export type TextPiece = Keyed & TextInput;

/** A media file without a vector; it is a passage in one piece. */
export type MediaPassage = Keyed & MediaInput & { readonly path: string };

function keyOf({ content, piece, pieces }: ReturnType<typeof pieceOfKey>): string {
  return `${content}-${piece}-${pieces}`;
}

/**
 * Which piece, from 0, of which content, by its hash in hexadecimal, a vector is for. Keys are text, because batch jobs
 * carry them to a provider and back.
 */
export function pieceOfKey(key: string) {
  const [content = '', piece, pieces] = key.split('-');
  return { content, piece: Number(piece), pieces: Number(pieces) };
}

const PAGE_SIZE = 512;
/** More contents than requests that are under way can have. */
const MOST_RECENT = 8 * PAGE_SIZE;

/** The chunks of all pages, read as needed. */
export async function* pages<T extends { readonly chunkId: number }>(
  readAfter: (chunkId: number) => Promise<readonly T[]>,
): AsyncGenerator<T> {
  for (let last: T | undefined; ; ) {
    const page = await readAfter(last?.chunkId ?? 0);
    yield* page;
    last = page.at(-1);
    if (last === undefined) return;
  }
}

/** The texts without vectors in pieces, read as needed. */
export async function* missingTexts(
  index: MemoryIndex,
  identity: string,
): AsyncGenerator<TextPiece> {
  const recent = new Set<string>();
  const all = pages((after) => index.missingEmbeddings(identity, after, PAGE_SIZE));
  for await (const { hash, headingPath, text } of all) {
    const content = hash.toString('hex');
    // A content of an earlier page whose vector is not stored yet is missing again.
    if (recent.has(content)) continue;
    const [oldest] = recent.add(content);
    if (oldest !== undefined && recent.size > MOST_RECENT) recent.delete(oldest);
    const texts = piecesOf(text);
    for (const [piece, own] of texts.entries()) {
      const key = keyOf({ content, piece, pieces: texts.length });
      // Only in the first piece: in every piece, the headings would drown the text.
      const hasTitle = piece === 0 && !text.startsWith('#');
      yield { key, title: hasTitle ? headingPath.join(' › ') : undefined, text: own };
    }
  }
}

/** The media without a vector, read as needed. */
export function missingMedia(index: MemoryIndex, identity: string): AsyncGenerator<MissingMedia> {
  return pages((after) => index.missingMedia(identity, after, PAGE_SIZE));
}

/**
 * The files of media, read when needed.
 *
 * @param onChanged called with a file that has changed since it was indexed, which is left to the next sync
 */
export async function* mediaFiles(
  media: AsyncIterable<MissingMedia>,
  workspace: string,
  onChanged: (media: MissingMedia) => void,
): AsyncGenerator<MediaPassage> {
  const workspaceDir = resolveWorkspace(workspace);
  for await (const missing of media) {
    const data = await readMedia(absoluteFromDisplay(workspaceDir, missing.path), missing);
    if (data === undefined) {
      onChanged(missing);
      continue;
    }
    const { hash, path, label, mimeType } = missing;
    const key = keyOf({ content: hash.toString('hex'), piece: 0, pieces: 1 });
    yield { key, path, text: label, media: { mimeType, data } };
  }
}

/** Drops duplicate content: a job may hold a passage long after later pages are read. */
export async function* withoutDuplicates<T extends Keyed>(
  passages: AsyncIterable<T>,
): AsyncGenerator<T> {
  const seen = new Set<string>();
  for await (const passage of passages) {
    if (seen.has(passage.key)) continue;
    seen.add(passage.key);
    yield passage;
  }
}

/** A file takes about as long to embed as one passage per so many bytes. */
const BYTES_PER_PASSAGE = 32 * 1024;

/** A file's size in equivalent passages. */
export function mediaSize({ bytes }: Pick<MissingMedia, 'bytes'>): number {
  return 1 + Math.floor(bytes / BYTES_PER_PASSAGE);
}

/** How many chunks, of media too, an adapter has to embed. @param atMost stops counting there */
export async function missingWork(
  index: MemoryIndex,
  adapter: EmbeddingAdapter,
  identity: string,
  atMost?: number,
) {
  const chunks = await index.countMissingEmbeddings(identity, atMost);
  // Other media are refused, which takes no time.
  const { files, bytes } =
    chunks === 0 || !adapter.embedsMedia
      ? { files: 0, bytes: 0 }
      : await index.countMissingMedia(identity);
  /** Everything, in equivalent passages of text. */
  const size = chunks + Math.floor(bytes / BYTES_PER_PASSAGE);
  /** Whether batch jobs may be running for some of it. */
  const isInJobs =
    chunks > 0 && adapter.batch !== undefined && (await index.batchJobs(identity)).length > 0;
  return { chunks, media: files, size, isInJobs };
}

/** Whether a search leaves what is missing to batch jobs, which cost less, or which may already be paid for. */
export function isForJobs(
  { batch }: EmbeddingAdapter,
  { size, isInJobs }: Awaited<ReturnType<typeof missingWork>>,
  atMost: number,
): boolean {
  return isInJobs || (batch?.isOn === true && size > atMost);
}

/**
 * The vectors of so many pieces take as much space as one vector of 32-bit floats. NEAREST_PIECE of
 * vector-candidates.ts compares as many.
 */
const MOST_PIECES = 4;
/** Shorter texts say too little about what they are about; in UTF-16 units. */
const SHORTEST_PIECE = 200;

const SENTENCE_END = /(?<=[.!?])\s+|(?<=[。！？])/gu;

/**
 * Splits a passage into what is embedded: up to four pieces of whole lines and about equal length. One vector
 * for a whole passage blurs its topics: it is near to none of the questions that one of its lines answers.
 *
 * @returns at least one piece, none of them blank unless the text is
 */
export function piecesOf(text: string): readonly string[] {
  const target = Math.max(SHORTEST_PIECE, Math.ceil(text.length / MOST_PIECES));
  const pieces: string[] = [];
  let piece = '';
  for (const part of partsOf(text, target)) {
    const over = piece.length + part.length - target;
    const isFull = piece.trim() !== '' && over > target - piece.length;
    if (isFull && pieces.length < MOST_PIECES - 1) {
      pieces.push(piece.trim());
      piece = '';
    }
    piece += part;
  }
  return [...pieces, piece.trim()].filter((one) => one !== '' || pieces.length === 0);
}

/** The lines of a text with their ends; a long line, usually a paragraph, as sentences. */
function partsOf(text: string, target: number): readonly string[] {
  return (text.match(/[^\n]+\n?|\n/gu) ?? []).flatMap((line) => {
    return line.length <= target ? [line] : sentencesOf(line);
  });
}

function sentencesOf(line: string): readonly string[] {
  const sentences: string[] = [];
  let from = 0;
  for (const { index } of line.matchAll(SENTENCE_END)) {
    if (index === from) continue;
    sentences.push(line.slice(from, index));
    from = index;
  }
  return [...sentences, line.slice(from)];
}
