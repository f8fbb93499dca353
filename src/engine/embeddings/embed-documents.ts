import type { EmbeddingEvent } from '../providers/embedding-event.js';
import { normalise } from '../providers/read-vectors.js';
import { estimateTokens, halve, plainText, splitToFit } from '../providers/requests/input-text.js';
import type { EmbeddingInput, RequestLimits, VendorAnswer } from '../providers/vendor.js';
import {
  isUnknownRefusal,
  VendorFault,
  type VendorFaultDetails,
} from '../providers/vendor-fault.js';
import type { Embedded, EmbeddedPart, Inputs, RefusedInput } from './embedding-adapter.js';

export interface EmbedDocumentsOptions {
  readonly send: (inputs: readonly EmbeddingInput[]) => Promise<VendorAnswer>;
  readonly limits: RequestLimits;
  /** Concurrent requests. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly onEvent: (event: EmbeddingEvent) => void;
}

/**
 * Small enough that answers take seconds and a lost one costs little, large enough that the round
 * trip does not matter.
 */
const TARGET_INPUTS = 128;
const TARGET_TOKENS = 60_000;

/**
 * Some servers have vectors for the first inputs only, or for none, if a request has too many (github.com/openclaw/openclaw,
 * issue 146985). Later requests have fewer then, but not fewer than this: it may be due to one request.
 */
const FEWEST_INPUTS = 16;

/** How many inputs a request can have; less once the vendor has refused one. */
interface Capacity {
  inputs: number;
  /** Inputs in a row that the vendor has refused without a known reason. */
  unexplained: number;
}

/** An input whose pieces come back in any order. */
interface PendingInput<Input> {
  readonly input: Input;
  missing: number;
  /** Sum of the pieces' unit vectors, weighted by length; of all of them a unit vector. */
  sum: Float32Array | undefined;
  refusal: string | undefined;
}

interface Piece<Input> {
  readonly owner: PendingInput<Input>;
  readonly content: EmbeddingInput;
  readonly tokens: number;
  /** Set if the vendor cannot take the piece. */
  readonly refusal: string | undefined;
}

/**
 * Embeds any number of inputs with concurrent requests; yields parts as they are answered.
 *
 * After a permanent failure, requests in flight are awaited and their (paid) answers yielded before
 * the fault is thrown.
 *
 * @throws VendorFault, or the signal's reason
 */
export async function* embedDocuments<Input extends EmbeddingInput>(
  inputs: Inputs<Input>,
  options: EmbedDocumentsOptions,
): AsyncGenerator<EmbeddedPart<Input>> {
  const { limits } = options;
  const capacity = { inputs: Math.min(limits.maxInputs, TARGET_INPUTS), unexplained: 0 };
  const packs = packRequests(piecesOf(inputs, limits), limits, capacity);
  const underWay = new Map<readonly Piece<Input>[], Promise<SentPack<Input>>>();
  let failure: { readonly error: unknown } | undefined;
  const start = (pack: readonly Piece<Input>[]): void => {
    const part: CompletedPart<Input> = { embedded: [], refused: [] };
    const sending = sendPack(pack, part, { ...options, capacity }).then(
      () => ({ pack, part }),
      (error: unknown) => ({ pack, part, error }),
    );
    underWay.set(pack, sending);
  };
  for (;;) {
    while (
      failure === undefined &&
      underWay.size < options.concurrency &&
      mediaBytes([...underWay.keys()].flat()) < MAX_BYTES_UNDER_WAY
    ) {
      options.signal.throwIfAborted();
      const next = await packs.next();
      if (next.done === true) break;
      start(next.value);
    }
    if (underWay.size === 0) break;
    const done = await Promise.race(underWay.values());
    underWay.delete(done.pack);
    options.signal.throwIfAborted();
    yield done.part;
    if ('error' in done) failure ??= { error: done.error };
  }
  if (failure !== undefined) throw failure.error;
}

/** What is complete of a request; of one that was halved, perhaps only a part of it. */
interface CompletedPart<Input> {
  readonly embedded: Embedded<Input>[];
  readonly refused: RefusedInput<Input>[];
}

interface SentPack<Input> {
  readonly pack: readonly Piece<Input>[];
  readonly part: CompletedPart<Input>;
  readonly error?: unknown;
}

async function* piecesOf<Input extends EmbeddingInput>(
  inputs: Inputs<Input>,
  limits: RequestLimits,
): AsyncGenerator<Piece<Input>> {
  for await (const input of inputs) {
    const contents = splitToFit(input, limits);
    const owner: PendingInput<Input> = {
      input,
      missing: contents.length,
      sum: undefined,
      refusal: undefined,
    };
    for (const content of contents) yield pieceOf(owner, content, limits);
  }
}

function pieceOf<Input>(
  owner: PendingInput<Input>,
  content: EmbeddingInput,
  limits: RequestLimits,
): Piece<Input> {
  const refusal = whyNotSent(content, limits);
  return { owner, content, tokens: estimateTokens(plainText(content)), refusal };
}

async function* packRequests<Input>(
  all: AsyncIterable<Piece<Input>>,
  limits: RequestLimits,
  capacity: Readonly<Capacity>,
): AsyncGenerator<readonly Piece<Input>[], undefined> {
  const maxTokens = Math.min(limits.maxTokensPerRequest, TARGET_TOKENS);
  let pack: Piece<Input>[] = [];
  let tokens = 0;
  for await (const piece of all) {
    const isFull = pack.length >= capacity.inputs || tokens + piece.tokens > maxTokens;
    if (pack.length > 0 && (isFull || !fitsMedia(pack, piece, limits))) {
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

/** Faults that may be caused by a single input. */
const DIVISIBLE = new Set(['input', 'too_large']);

/** A text that every working model embeds. */
const CONTROL: EmbeddingInput = { text: 'word' };

/** After so many inputs in a row that are refused without a known reason, it is not in them. */
const MOST_UNEXPLAINED = 5;

/**
 * Whether a fault can be due to anything: an input, their number, the model or the request itself. Vendors have more words
 * for their limits and filters than are known.
 */
function isUnexplained(details: VendorFaultDetails): boolean {
  return details.isInVector === true || isUnknownRefusal(details);
}

/**
 * @param part receives what is complete, also if a later request fails
 * @param isModelSound whether an unexplained fault can only be due to an input
 * @returns whether the vendor took everything at once
 */
async function sendPack<Input>(
  pack: readonly Piece<Input>[],
  part: CompletedPart<Input>,
  options: EmbedDocumentsOptions & { readonly capacity: Capacity },
  isModelSound = false,
): Promise<boolean> {
  const { capacity } = options;
  const [first] = pack;
  if (first?.refusal !== undefined) {
    complete(pack, part, ({ owner, refusal }) => {
      owner.refusal = refusal;
    });
    return false;
  }
  // What is left of an input that is refused anyway.
  if (pack.every(({ owner }) => owner.refusal !== undefined)) {
    complete(pack, part, () => undefined);
    return false;
  }
  // Packed before the vendor has refused as many.
  if (pack.length > capacity.inputs) {
    const { inputs } = capacity;
    await sendPack(pack.slice(0, inputs), part, options, isModelSound);
    await sendPack(pack.slice(inputs), part, options, isModelSound);
    return false;
  }
  try {
    const { vectors, tokens } = await options.send(pack.map((piece) => piece.content));
    options.onEvent({
      type: 'request.finished',
      tokens: tokens ?? pack.reduce((sum, piece) => sum + piece.tokens, 0),
    });
    complete(pack, part, (piece, position) => addPiece(piece, vectors[position]));
    capacity.unexplained = 0;
    return true;
  } catch (error) {
    if (!(error instanceof VendorFault)) throw error;
    if (lowerCapacity(capacity, error, pack.length)) {
      await sendPack(pack, part, options, isModelSound);
    } else await divide(pack, error, part, options, isModelSound);
    return false;
  }
}

/**
 * Halves a request to isolate the bad input, which is divided, too, if it may be too long.
 *
 * @throws the fault if neither an input nor their number can be the cause
 */
async function divide<Input>(
  pack: readonly Piece<Input>[],
  fault: VendorFault,
  part: CompletedPart<Input>,
  options: EmbedDocumentsOptions & { readonly capacity: Capacity },
  isModelSound: boolean,
): Promise<void> {
  const { capacity } = options;
  const { kind, isMixedUp = false } = fault.details;
  const isOpen = isUnexplained(fault.details);
  if (!(isOpen || (isMixedUp && pack.length > 1) || DIVISIBLE.has(kind))) throw fault;
  // Fails if it is so for any text.
  if (isOpen && !isModelSound) await options.send([CONTROL]);
  const isSound = isModelSound || isOpen;
  const pieces = pack.length > 1 ? pack : shorterPieces(pack[0], fault, options.limits);
  if (pieces === undefined) {
    if (kind === 'request' && ++capacity.unexplained >= MOST_UNEXPLAINED) throw fault;
    complete(pack, part, ({ owner }) => {
      owner.refusal = fault.message;
    });
    return;
  }
  const middle = Math.ceil(pieces.length / 2);
  const tookFirst = await sendPack(pieces.slice(0, middle), part, options, isSound);
  const tookSecond = await sendPack(pieces.slice(middle), part, options, isSound);
  // It was due to their number.
  if (kind === 'request' && pack.length > 1 && tookFirst && tookSecond) {
    capacity.inputs = Math.min(capacity.inputs, middle);
  }
}

/** Whether a request has had too many inputs; later ones have fewer then. */
function lowerCapacity(capacity: Capacity, { details }: VendorFault, inputs: number): boolean {
  const { isMixedUp = false, mostInputs = 0 } = details;
  const most = isMixedUp ? Math.max(FEWEST_INPUTS, Math.ceil(inputs / 2)) : mostInputs;
  if (most <= 0 || most >= inputs) return false;
  capacity.inputs = Math.min(capacity.inputs, most);
  return true;
}

/** Shorter pieces of an input that the vendor finds too long, or may; undefined if that cannot help. */
function shorterPieces<Input>(
  piece: Piece<Input> | undefined,
  { details }: VendorFault,
  limits: RequestLimits,
): readonly Piece<Input>[] | undefined {
  const mayBeTooLong = details.kind === 'too_large' || details.kind === 'request';
  const contents = piece === undefined || !mayBeTooLong ? undefined : halve(piece.content);
  if (piece === undefined || contents === undefined) return undefined;
  piece.owner.missing += contents.length - 1;
  return contents.map((content) => pieceOf(piece.owner, content, limits));
}

function addPiece<Input>(piece: Piece<Input>, vector: Float32Array | undefined): void {
  const { owner, tokens } = piece;
  if (vector === undefined) return;
  // Normally there is one piece: keep the vendor's own vector.
  if (owner.missing === 1 && owner.sum === undefined) {
    owner.sum = vector;
    return;
  }
  const sum = owner.sum ?? new Float32Array(vector.length);
  for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) + tokens * (vector[i] ?? 0);
  owner.sum = owner.missing === 1 ? normalise(sum) : sum;
}

/** Applies the result of each piece, and collects the inputs that are now complete. */
function complete<Input>(
  pack: readonly Piece<Input>[],
  { embedded, refused }: CompletedPart<Input>,
  apply: (piece: Piece<Input>, position: number) => void,
): void {
  for (const [position, piece] of pack.entries()) {
    const { owner } = piece;
    apply(piece, position);
    owner.missing -= 1;
    if (owner.missing > 0) continue;
    if (owner.refusal !== undefined || owner.sum === undefined) {
      refused.push({ input: owner.input, why: owner.refusal ?? 'nothing to embed' });
    } else embedded.push({ input: owner.input, vector: owner.sum });
  }
}

/** For several images in one request. */
const TARGET_BYTES = 4_000_000;
/** For all requests in flight: media are in memory three times, two of them base64. */
const MAX_BYTES_UNDER_WAY = 16_000_000;

/** Why an input cannot be sent; undefined if it is worth a try. */
function whyNotSent({ media }: EmbeddingInput, limits: RequestLimits): string | undefined {
  if (media === undefined) return undefined;
  if (limits.media === undefined) return 'the model only embeds text';
  const { maxBytesPerRequest } = limits.media;
  const bytes = media.data.length;
  if (bytes <= maxBytesPerRequest) return undefined;
  return `it has ${bytes} bytes, and a request can have ${maxBytesPerRequest}`;
}

/** Whether a piece fits into a request; text and media are not mixed. */
function fitsMedia(
  pack: readonly Piece<unknown>[],
  piece: Piece<unknown>,
  { media: limits }: RequestLimits,
): boolean {
  const all = [...pack, piece];
  if (all.every(({ content }) => content.media === undefined)) return true;
  if (limits === undefined || all.some(({ refusal }) => refusal !== undefined)) return false;
  return (
    all.length <= limits.maxImagesPerRequest &&
    mediaBytes(all) <= Math.min(TARGET_BYTES, limits.maxBytesPerRequest) &&
    all.every(({ content }) => isOrdinaryImage(content, limits.documented))
  );
}

/** Recordings, and types that are likely to be refused, get their own request. */
function isOrdinaryImage({ media }: EmbeddingInput, documented: ReadonlySet<string>): boolean {
  if (media === undefined || !documented.has(media.mimeType)) return false;
  return media.mimeType.startsWith('image/');
}

function mediaBytes(pack: readonly Piece<unknown>[]): number {
  return pack.reduce((sum, { content }) => sum + (content.media?.data.length ?? 0), 0);
}
