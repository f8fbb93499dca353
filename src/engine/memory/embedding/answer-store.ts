import type { EmbeddedPart } from '../../embeddings/index.js';
import type { EmbeddingEntry, MemoryIndex, RefusedContent } from '../index/index.js';
import { pieceOfKey } from './passages.js';

/** What a provider was asked for; only media have a path. */
type Answers = EmbeddedPart<{ readonly key: string; readonly path?: string }>;

/** Stores and counts the contents of which every piece has been answered. */
export class AnswerStore {
  embedded = 0;
  refused = 0;
  /** The first refusal. */
  refusal: string | undefined;
  /** Answers to pieces of contents that are still incomplete. */
  private readonly answersByContent = new Map<string, Answers['embedded' | 'refused'][number][]>();
  private readonly index: MemoryIndex;
  private readonly onStored: (passages: number) => void;

  constructor(index: MemoryIndex, onStored: (passages: number) => void) {
    this.index = index;
    this.onStored = onStored;
  }

  /** Adds a provider's answers. A content of which only some pieces are refused can be found by the others. */
  async add(identity: string, { embedded, refused }: Answers): Promise<void> {
    const entries: EmbeddingEntry[] = [];
    const refusals: RefusedContent[] = [];
    for (const answer of [...embedded, ...refused]) {
      const { content, pieces } = pieceOfKey(answer.input.key);
      const answered = this.answersByContent.get(content) ?? [];
      answered.push(answer);
      this.answersByContent.set(content, answered);
      if (answered.length < pieces) continue;
      this.answersByContent.delete(content);
      const hash = Buffer.from(content, 'hex');
      const vectors = answered.flatMap((one) => ('vector' in one ? [one.vector] : []));
      if (vectors.length > 0) entries.push({ hash, vectors });
      else {
        const [first] = answered.flatMap((one) => ('why' in one ? [one] : []));
        const { why = '', input: { path } = {} } = first ?? {};
        this.refusal ??= path === undefined ? why : `${path}: ${why}`;
        refusals.push({ hash, why, isMedia: path !== undefined });
      }
    }
    if (entries.length > 0) await this.index.putEmbeddings(identity, entries);
    if (refusals.length > 0) await this.index.refuseEmbeddings(identity, refusals);
    this.embedded += entries.length;
    this.refused += refusals.length;
    const passages = entries.length + refusals.length;
    if (passages > 0) this.onStored(passages);
  }
}
