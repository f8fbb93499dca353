import type { MediaInput, TextInput } from '../../embeddings/index.js';
import type { MemoryIndex } from '../index/memory-index.js';
import { resolveWorkspace } from '../sources/memory-files.js';
import { readMedia } from '../sources/read-media.js';

/** What tells one passage from another. */
interface Named {
  /** {@link hash} in hex. */
  readonly key: string;
  /** Names what is embedded. */
  readonly hash: Buffer;
}

/** A text of the index that needs a vector. */
export type TextPassage = Named & TextInput;

/** A media file that needs one. */
export type MediaPassage = Named & MediaInput & { readonly path: string };

/** Passages read from the index at a time. */
const PAGE = 512;

/** The texts without a vector, read as they are needed. */
export async function* missingTexts(
  index: MemoryIndex,
  identity: string,
): AsyncGenerator<TextPassage> {
  for (let after = 0; ; ) {
    const page = await index.missingEmbeddings(identity, after, PAGE);
    for (const { hash, headingPath, text } of page) {
      yield { key: hash.toString('hex'), hash, title: headingPath.join(' › '), text };
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.chunkId;
  }
}

/**
 * The media without a vector. Each file is read when it is asked for; one that is not what it was when
 * it was indexed is left for the next sync.
 */
export async function* missingMediaFiles(
  index: MemoryIndex,
  identity: string,
  workspace: string,
): AsyncGenerator<MediaPassage> {
  const workspaceDir = resolveWorkspace(workspace);
  for (let after = 0; ; ) {
    const page = await index.missingMedia(identity, after, PAGE);
    for (const missing of page) {
      const data = await readMedia(workspaceDir, missing);
      if (data === undefined) continue;
      const { hash, path, label, mimeType } = missing;
      yield { key: hash.toString('hex'), hash, path, text: label, media: { mimeType, data } };
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.chunkId;
  }
}

/** Each content once: a job may hold a passage long after the next page of them is read. */
export async function* distinct<T extends Named>(passages: AsyncIterable<T>): AsyncGenerator<T> {
  const seen = new Set<string>();
  for await (const passage of passages) {
    if (seen.has(passage.key)) continue;
    seen.add(passage.key);
    yield passage;
  }
}
