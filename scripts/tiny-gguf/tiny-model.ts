import { type GgufTensor, type GgufValue, writeGguf } from './gguf-writer.js';

/** Variable properties of the model. */
export interface TinyModelOptions {
  /** Maximum number of tokens. */
  readonly context?: number;
  /** Number of dimensions. */
  readonly dimensions?: number;
  /** Without it every vector is zero, like those of a model that is not for embedding. */
  readonly pooling?: boolean;
  /** A model that ranks: the more of a passage is this word (the first of its line below), the better. */
  readonly ranksBy?: string;
}

/**
 * Words on the same line are synonyms for the model. Any other word is spelled letter by letter, and all its
 * letters together count as much as one of these words.
 */
const MEANINGS = [
  'car automobile vehicle',
  'doctor physician medic',
  'house home building',
  'dog hound puppy',
  'cat kitten',
  'red crimson scarlet',
  'blue azure',
  'big large huge',
  'small little tiny',
  'quick fast rapid',
  'backup backups archive',
  'night nightly evening',
  'money cash price',
  'meeting appointment',
  'coffee espresso',
  'garden lawn',
  'sister sibling brother',
  'database postgres sqlite',
  'deploy release ship',
  'error failure fault',
  'trip journey travel',
  'food meal dinner',
  'ocean sea',
  'happy glad',
  'begin start',
  'the',
  'a',
  'is',
  'and',
  'of',
  'in',
  'my',
  'drinks',
  'runs',
  'with',
] as const;

const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'] as const;
const CHARACTERS = [...'abcdefghijklmnopqrstuvwxyz0123456789'];
const PUNCTUATION = [...'.,;:!?-_/()\'"#'];
const WORD_START = '\u2581';

interface Entry {
  readonly token: string;
  /** Seed of its vector; null for a zero vector. */
  readonly seed: string | null;
  /** 1 normal, 2 unknown, 3 control. */
  readonly type: 1 | 2 | 3;
}

function vocabulary(): readonly Entry[] {
  const ordinary = (token: string, seed = token): Entry => ({ token, seed, type: 1 });
  return [
    ...SPECIAL.map(
      (token): Entry =>
        token === '[UNK]' ? { token, seed: token, type: 2 } : { token, seed: null, type: 3 },
    ),
    ...MEANINGS.flatMap((line) => {
      const words = line.split(' ');
      return words.map((word) => ordinary(WORD_START + word, words[0]));
    }),
    ...[...CHARACTERS, ...PUNCTUATION]
      // `a` is already a word.
      .filter((character) => character !== 'a')
      .map((character) => ordinary(WORD_START + character)),
    ...CHARACTERS.map((character) => ordinary(character)),
  ];
}

/**
 * A BERT with one layer whose attention and feed-forward weights are zero, so that a text becomes the mean
 * of its token vectors. Byte for byte the same on every run.
 */
export function tinyModel(options: TinyModelOptions = {}): Buffer {
  const { context = 256, dimensions = 64, pooling = true, ranksBy } = options;
  const entries = vocabulary();
  const u32 = (value: number): GgufValue => ({ type: 'u32', value });
  const idOf = (token: string): GgufValue => u32(entries.findIndex((each) => each.token === token));
  const keys: Record<string, GgufValue> = {
    'general.architecture': { type: 'string', value: 'bert' },
    'bert.context_length': u32(context),
    'bert.embedding_length': u32(dimensions),
    'bert.block_count': u32(1),
    'bert.feed_forward_length': u32(dimensions),
    'bert.attention.head_count': u32(2),
    'bert.attention.layer_norm_epsilon': { type: 'f32', value: 1e-12 },
    'bert.attention.causal': { type: 'bool', value: false },
    // 1: the mean of all tokens, 4: a score.
    ...(pooling ? { 'bert.pooling_type': u32(ranksBy === undefined ? 1 : 4) } : {}),
    'tokenizer.ggml.model': { type: 'string', value: 'bert' },
    'tokenizer.ggml.tokens': { type: 'string[]', value: entries.map(({ token }) => token) },
    'tokenizer.ggml.token_type': { type: 'i32[]', value: entries.map(({ type }) => type) },
    'tokenizer.ggml.token_type_count': u32(2),
    'tokenizer.ggml.bos_token_id': idOf('[CLS]'),
    // Spelled this way in the format.
    'tokenizer.ggml.seperator_token_id': idOf('[SEP]'),
    'tokenizer.ggml.unknown_token_id': idOf('[UNK]'),
  };
  const rankingTensors = ranksBy === undefined ? [] : ranking(ranksBy, dimensions);
  const names = new Set(rankingTensors.map(({ name }) => name));
  const others = tensors(entries, dimensions, context).filter(({ name }) => !names.has(name));
  return writeGguf(keys, [...others, ...rankingTensors]);
}

/**
 * What makes it rank: attention that passes the mean of all tokens to the first one, from which the score is
 * computed.
 */
function ranking(word: string, size: number): GgufTensor[] {
  const identity = new Float32Array(size * size);
  for (let at = 0; at < size; at++) identity[at * size + at] = 1;
  return [
    ...['attn_v', 'attn_output'].map((name) => ({
      name: `blk.0.${name}.weight`,
      shape: [size, size],
      data: identity,
    })),
    {
      name: 'cls.output.weight',
      shape: [size, 1],
      // Small, so that scores differ visibly after the sigmoid.
      data: direction(word, size).map((value) => value / 10),
    },
  ];
}

function tensors(entries: readonly Entry[], size: number, context: number): GgufTensor[] {
  const zeros = (name: string, ...shape: number[]): GgufTensor => ({
    name,
    shape,
    data: new Float32Array(shape.reduce((product, length) => product * length, 1)),
  });
  const norm = (name: string): GgufTensor[] => [
    { name: `${name}.weight`, shape: [size], data: new Float32Array(size).fill(1) },
    zeros(`${name}.bias`, size),
  ];
  const words = new Float32Array(entries.length * size);
  for (const [position, { seed }] of entries.entries()) {
    if (seed !== null) words.set(direction(seed, size), position * size);
  }
  return [
    { name: 'token_embd.weight', shape: [size, entries.length], data: words },
    zeros('position_embd.weight', size, context),
    ...norm('token_embd_norm'),
    ...['attn_q', 'attn_k', 'attn_v', 'attn_output', 'ffn_up', 'ffn_down'].map((name) =>
      zeros(`blk.0.${name}.weight`, size, size),
    ),
    ...norm('blk.0.attn_output_norm'),
    ...norm('blk.0.layer_output_norm'),
  ];
}

/** Seeded pseudo-random numbers between -1 and 1 (FNV-1a, xorshift). */
function direction(seed: string, size: number): Float32Array {
  let state = 0x811c9dc5;
  for (const byte of Buffer.from(seed, 'utf8')) state = Math.imul(state ^ byte, 0x01000193) >>> 0;
  return Float32Array.from({ length: size }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 0x80000000 - 1;
  });
}
