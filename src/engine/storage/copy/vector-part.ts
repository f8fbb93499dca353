import { existsSync } from 'node:fs';
import type { ResolvedAgent } from '../../config/index.js';
import { SvcError } from '../../errors/index.js';
import {
  createIndex,
  currentIdentity,
  newerIndex,
  type OpenedIndex,
  openIndex,
  type PackedEmbedding,
  type PackedStore,
} from '../../memory/index/index.js';
import { withIndexLock } from '../../memory/sync/index-lock.js';
import { closing } from '../../support/async.js';
import type { CopyPart } from './copy-part.js';

const PAGE_ROWS = 200;

/** The vectors of one memory. */
export function vectorPart(
  name: string,
  source: Pick<PackedStore, 'count' | 'page'>,
  target: Pick<PackedStore, 'find' | 'put'>,
): CopyPart<PackedEmbedding> {
  return {
    name,
    source: {
      count: () => source.count(),
      page: (after) => source.page({ after: after?.id ?? 0, limit: PAGE_ROWS }),
    },
    target: { find: (rows) => target.find(rows), write: (rows) => target.put(rows) },
    keyOf: ({ identity, hash }) => `${identity}\0${hash.toString('hex')}`,
    contentOf: ({ identity, hash, vector }) =>
      [identity, hash.toString('hex'), vector.toString('hex')].join(' '),
    // A provider may embed the same text a little differently; what the target has is as good.
    isNewer: () => true,
    wasCopied: () => false,
  };
}

/** The vectors in an index file, for reading; undefined if there is no such file. @throws SvcError INDEX_* */
export async function withIndexVectors<T>(
  file: string,
  use: (store: PackedStore) => Promise<T>,
): Promise<T | undefined> {
  const opened = openIndex(file, 'read');
  return opened.state === 'missing' ? undefined : withVectorsOf(file, opened, use);
}

/** The same for writing; an index without documents is created if there is none. */
export async function withWrittenVectors<T>(
  { memorySearch }: ResolvedAgent,
  lock: { readonly nowMs: number; readonly signal: AbortSignal },
  use: (store: PackedStore) => Promise<T>,
): Promise<T> {
  const { chunking, store } = memorySearch;
  const file = store.path;
  const options = { waitMs: LOCK_WAIT_MS, ...lock };
  return withIndexLock(file, options, async () => {
    // The next sync adds the documents, or rebuilds it and keeps the vectors.
    if (!existsSync(file)) {
      createIndex(file, currentIdentity({ chunking, tokenizer: store.fts.tokenizer })).seal();
    }
    return withVectorsOf(file, openIndex(file, 'write', store.vector), use);
  });
}

const LOCK_WAIT_MS = 60_000;

async function withVectorsOf<T>(
  file: string,
  opened: OpenedIndex,
  use: (store: PackedStore) => Promise<T>,
): Promise<T> {
  if (opened.state === 'newer') throw newerIndex(opened.why);
  if (opened.state !== 'ready') {
    const why = opened.state === 'missing' ? 'it was deleted' : opened.why;
    throw new SvcError('INDEX_CORRUPT', `the index ${file} cannot be used: ${why}`, {
      hint: 'run "svc config unset storage.url" and "svc memory index", then set storage.url and copy again',
    });
  }
  using index = closing(opened.index);
  return await use(await index.packedStore());
}
