import type {
  Embedded,
  EmbeddedPart,
  EmbeddingEvent,
  EmbeddingInput,
  Inputs,
  RefusedInput,
} from '../embedding-adapter.js';
import { normalise } from '../read-vectors.js';
import type { RequestLimits } from '../vendor.js';
import { VendorFault } from '../vendor-fault.js';
import { estimateTokens, halve, plainText, splitToFit } from './input-text.js';
import { fitsMedia, isFull, mediaBytes, whyNotSent } from './pack-media.js';

/** Sends the inputs of one request; vectors in their order, as the vendor gave them. */
export type SendRequest = (
  inputs: readonly EmbeddingInput[],
) => Promise<{ readonly vectors: readonly Float32Array[]; readonly tokens?: number | undefined }>;

/** How documents become requests. */
export interface EmbedDocumentsOptions {
  readonly send: SendRequest;
  readonly limits: RequestLimits;
  /** Requests under way at the same time. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly onEvent: (event: EmbeddingEvent) => void;
}

/**
 * Small enough that an answer comes within seconds and a lost one costs little, large enough that
 * the way there and back does not count.
 */
const TARGET_INPUTS = 128;
const TARGET_TOKENS = 60_000;

/** An input on its way: its pieces come back one by one, in any order. */
interface Pending<Input> {
  readonly input: Input;
  missing: number;
  /** Sum of the pieces' unit vectors, each weighed by its length. */
  sum: Float32Array | undefined;
  refusal: string | undefined;
}

interface Piece<Input> {
  readonly owner: Pending<Input>;
  readonly content: EmbeddingInput;
  readonly tokens: number;
  /** Why it need not be sent: the vendor cannot take it. */
  readonly refusal: string | undefined;
}

/**
 * Embeds any number of inputs with several requests at a time; parts come as they are answered.
 *
 * What one request fails on for good ends the run, after the requests under way have been waited
 * for: their answers are paid for, and yielded before the fault is thrown.
 *
 * @throws VendorFault, or the signal's reason
 */
export async function* embedDocuments<Input extends EmbeddingInput>(
  inputs: Inputs<Input>,
  options: EmbedDocumentsOptions,
): AsyncGenerator<EmbeddedPart<Input>> {
  const packs = packed(pieces(inputs, options.limits), options.limits);
  const underWay = new Map<number, Promise<{ key: number; outcome: Outcome<Input> }>>();
  const sizes = new Map<number, number>();
  let failure: { readonly error: unknown } | undefined;
  let key = 0;
  const start = (pack: readonly Piece<Input>[]): void => {
    const id = key++;
    sizes.set(id, mediaBytes(pack));
    underWay.set(
      id,
      sendPack(pack, options).then(
        (part) => ({ key: id, outcome: { part } }),
        (error: unknown) => ({ key: id, outcome: { error } }),
      ),
    );
  };
  for (;;) {
    while (failure === undefined && underWay.size < options.concurrency && !isFull(sizes)) {
      options.signal.throwIfAborted();
      const next = await packs.next();
      if (next.done === true) break;
      start(next.value);
    }
    if (underWay.size === 0) break;
    const done = await Promise.race(underWay.values());
    underWay.delete(done.key);
    sizes.delete(done.key);
    options.signal.throwIfAborted();
    if ('error' in done.outcome) failure ??= { error: done.outcome.error };
    else yield done.outcome.part;
  }
  if (failure !== undefined) throw failure.error;
}

type Outcome<Input> = { readonly part: EmbeddedPart<Input> } | { readonly error: unknown };

async function* pieces<Input extends EmbeddingInput>(
  inputs: Inputs<Input>,
  limits: RequestLimits,
): AsyncGenerator<Piece<Input>> {
  for await (const input of inputs) {
    const contents = splitToFit(input, limits);
    const owner: Pending<Input> = {
      input,
      missing: contents.length,
      sum: undefined,
      refusal: undefined,
    };
    for (const content of contents) yield pieceOf(owner, content, limits);
  }
}

function pieceOf<Input>(
  owner: Pending<Input>,
  content: EmbeddingInput,
  limits: RequestLimits,
): Piece<Input> {
  const refusal = whyNotSent(content, limits);
  return { owner, content, tokens: estimateTokens(plainText(content)), refusal };
}

async function* packed<Input>(
  all: AsyncIterable<Piece<Input>>,
  limits: RequestLimits,
): AsyncGenerator<readonly Piece<Input>[], undefined> {
  const maxInputs = Math.min(limits.maxInputs, TARGET_INPUTS);
  const maxTokens = Math.min(limits.maxTokensPerRequest, TARGET_TOKENS);
  let pack: Piece<Input>[] = [];
  let tokens = 0;
  for await (const piece of all) {
    const isWhole = pack.length >= maxInputs || tokens + piece.tokens > maxTokens;
    if (pack.length > 0 && (isWhole || !fitsMedia(pack, piece, limits))) {
      yield pack;
      pack = [];
      tokens = 0;
    }
    pack.push(piece);
    tokens += piece.tokens;
  }
  if (pack.length > 0) yield pack;
  return undefined;
}

/** Kinds of faults behind which a single input of the request may stand. */
const DIVISIBLE = new Set(['input', 'too_large']);

async function sendPack<Input>(
  pack: readonly Piece<Input>[],
  options: EmbedDocumentsOptions,
): Promise<EmbeddedPart<Input>> {
  const [first] = pack;
  if (first?.refusal !== undefined) {
    return settled(pack, ({ owner, refusal }) => {
      owner.refusal = refusal;
    });
  }
  try {
    const { vectors, tokens } = await options.send(pack.map((piece) => piece.content));
    options.onEvent({
      type: 'request.finished',
      inputs: pack.length,
      tokens: tokens ?? pack.reduce((sum, piece) => sum + piece.tokens, 0),
    });
    return settled(pack, (piece, position) => addPiece(piece, vectors[position]));
  } catch (error) {
    if (!(error instanceof VendorFault) || !DIVISIBLE.has(error.details.kind)) throw error;
    // The one at fault is found by halving; the others must not suffer from it.
    const parts = pack.length > 1 ? pack : shorterPieces(first, error, options.limits);
    if (parts === undefined) {
      return settled(pack, ({ owner }) => {
        owner.refusal = error.message;
      });
    }
    const middle = Math.ceil(parts.length / 2);
    const before = await sendPack(parts.slice(0, middle), options);
    const after = await sendPack(parts.slice(middle), options);
    return {
      embedded: [...before.embedded, ...after.embedded],
      refused: [...before.refused, ...after.refused],
    };
  }
}

/** A piece that the vendor finds too long, in shorter ones; undefined when that cannot help. */
function shorterPieces<Input>(
  piece: Piece<Input> | undefined,
  { details }: VendorFault,
  limits: RequestLimits,
): readonly Piece<Input>[] | undefined {
  const contents =
    piece === undefined || details.kind !== 'too_large' ? undefined : halve(piece.content);
  if (piece === undefined || contents === undefined) return undefined;
  piece.owner.missing += contents.length - 1;
  return contents.map((content) => pieceOf(piece.owner, content, limits));
}

function addPiece<Input>(piece: Piece<Input>, vector: Float32Array | undefined): void {
  const { owner, tokens } = piece;
  if (vector === undefined) return;
  // The ordinary case, one piece, keeps the vendor's own vector.
  if (owner.missing === 1 && owner.sum === undefined) {
    owner.sum = vector;
    return;
  }
  const sum = owner.sum ?? new Float32Array(vector.length);
  for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) + tokens * (vector[i] ?? 0);
  owner.sum = sum;
}

/** Applies what came of each piece, and lists the inputs that are complete with it. */
function settled<Input>(
  pack: readonly Piece<Input>[],
  apply: (piece: Piece<Input>, position: number) => void,
): EmbeddedPart<Input> {
  const embedded: Embedded<Input>[] = [];
  const refused: RefusedInput<Input>[] = [];
  for (const [position, piece] of pack.entries()) {
    const { owner } = piece;
    apply(piece, position);
    owner.missing -= 1;
    if (owner.missing > 0) continue;
    if (owner.refusal !== undefined || owner.sum === undefined) {
      refused.push({ input: owner.input, why: owner.refusal ?? 'nothing to embed' });
    } else embedded.push({ input: owner.input, vector: normalise(owner.sum) });
  }
  return { embedded, refused };
}
