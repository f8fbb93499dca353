/**
 * The inner loop of a scan as a WebAssembly module, put together from its instructions: JavaScript
 * has none that look sixteen bytes up in a table at once. Plain code for the same is in
 * scan-kernel.ts, and a test holds the two together.
 *
 * Codes: https://webassembly.github.io/spec/core/binary/instructions.html
 */

/** Where things lie in the memory; sizes are those of a full page with the longest codes. */
export const MEMORY = {
  tables: 0,
  scratch: 4096,
  scales: 8192,
  offsets: 24_576,
  slots: 40_960,
  estimates: 57_344,
  codes: 73_728,
} as const;

/** Of 64 KiB. */
export const WASM_PAGES = 6;

const I32 = 0x7f;
const F32 = 0x7d;
const V128 = 0x7b;
const EMPTY_BLOCK = 0x40;
const SIMD = 0xfd;

type Code = readonly number[];

/** The parameters of `scan`, then its other variables. */
const LOCAL = {
  groups: 0,
  codeBytes: 1,
  least: 2,
  step: 3,
  base: 4,
  threshold: 5,
  slot: 6,
  code: 7,
  table: 8,
  end: 9,
  hits: 10,
  lane: 11,
  estimate: 12,
  bytes: 13,
  even: 14,
  odd: 15,
  above: 16,
} as const;

const LOCAL_TYPES: readonly Code[] = [
  [6, I32],
  [1, F32],
  [4, V128],
];

const get = (local: keyof typeof LOCAL): Code => [0x20, LOCAL[local]];
const set = (local: keyof typeof LOCAL): Code => [0x21, LOCAL[local]];
const tee = (local: keyof typeof LOCAL): Code => [0x22, LOCAL[local]];
const i32 = (value: number): Code => [0x41, ...signed(value)];
const simd = (operation: number): Code => [SIMD, ...unsigned(operation)];
const load = (offset: number): Code => [SIMD, 0x00, 0, ...unsigned(offset)];
const store = (offset: number): Code => [SIMD, 0x0b, 0, ...unsigned(offset)];
const loop = (...body: readonly Code[]): Code => [0x03, EMPTY_BLOCK, ...body.flat(), 0x0b];
const when = (...body: readonly Code[]): Code => [0x04, EMPTY_BLOCK, ...body.flat(), 0x0b];
const againIf: Code = [0x0d, 0];

const ADD: Code = [0x6a];
const MULTIPLY: Code = [0x6c];
const SHIFT_LEFT: Code = [0x74];
const LESS_UNSIGNED: Code = [0x49];
const LOAD_F32 = (offset: number): Code => [0x2a, 2, ...unsigned(offset)];
const STORE_F32 = (offset: number): Code => [0x38, 2, ...unsigned(offset)];
const STORE_I32 = (offset: number): Code => [0x36, 2, ...unsigned(offset)];
const GREATER_F32: Code = [0x5e];
const SPLAT_F32 = simd(0x13);
const ADD_F32X4 = simd(0xe4);
const LOOK_UP = simd(0x0e);

/** Adds a table entry for each four signs of sixteen codes: even bytes and odd ones apart. */
const addTables: Code = [
  get('code'),
  load(0),
  set('bytes'),
  get('table'),
  load(0),
  get('bytes'),
  vector(0x0f),
  simd(0x4e),
  LOOK_UP,
  get('table'),
  load(16),
  get('bytes'),
  i32(4),
  simd(0x6d),
  LOOK_UP,
  simd(0x6e),
  tee('bytes'),
  vector(0xff, 0),
  simd(0x4e),
  get('even'),
  simd(0x8e),
  set('even'),
  get('bytes'),
  i32(8),
  simd(0x8d),
  get('odd'),
  simd(0x8e),
  set('odd'),
].flat();

/** Estimates four slots of the group and keeps which of them are above the threshold. */
function estimateFour(quarter: number): Code {
  const half = quarter < 2 ? 0 : 8;
  const interleave = Array.from({ length: 8 }, (_, at) => {
    const byte = half + 2 * Math.floor(at / 2);
    return at % 2 === 0 ? [byte, byte + 1] : [byte + 16, byte + 17];
  }).flat();
  const widen = simd(quarter % 2 === 0 ? 0xa9 : 0xaa);
  const at = [get('slot'), i32(2), SHIFT_LEFT].flat();
  return [
    i32(0),
    at,
    load(MEMORY.offsets + quarter * 16),
    get('base'),
    SPLAT_F32,
    ADD_F32X4,
    at,
    load(MEMORY.scales + quarter * 16),
    get('least'),
    SPLAT_F32,
    get('step'),
    SPLAT_F32,
    get('even'),
    get('odd'),
    [...simd(0x0d), ...interleave],
    widen,
    simd(0xfa),
    simd(0xe6),
    ADD_F32X4,
    simd(0xe6),
    ADD_F32X4,
    tee('bytes'),
    store(MEMORY.scratch + quarter * 16),
    get('bytes'),
    get('threshold'),
    SPLAT_F32,
    simd(0x44),
    get('above'),
    simd(0x50),
    set('above'),
  ].flat();
}

/** Writes every slot of the group behind the hits, and counts it if it is one. */
const keepHits: Code = [
  i32(0),
  set('lane'),
  loop(
    get('lane'),
    i32(2),
    SHIFT_LEFT,
    LOAD_F32(MEMORY.scratch),
    set('estimate'),
    get('hits'),
    i32(2),
    SHIFT_LEFT,
    get('slot'),
    get('lane'),
    ADD,
    STORE_I32(MEMORY.slots),
    get('hits'),
    i32(2),
    SHIFT_LEFT,
    get('estimate'),
    STORE_F32(MEMORY.estimates),
    get('hits'),
    get('estimate'),
    get('threshold'),
    GREATER_F32,
    ADD,
    set('hits'),
    get('lane'),
    i32(1),
    ADD,
    tee('lane'),
    i32(16),
    LESS_UNSIGNED,
    againIf,
  ),
].flat();

const body: Code = [
  i32(MEMORY.codes),
  set('code'),
  loop(
    vector(0),
    tee('even'),
    tee('odd'),
    set('above'),
    i32(MEMORY.tables),
    set('table'),
    get('code'),
    get('codeBytes'),
    i32(4),
    SHIFT_LEFT,
    ADD,
    set('end'),
    loop(
      addTables,
      get('table'),
      i32(32),
      ADD,
      set('table'),
      get('code'),
      i32(16),
      ADD,
      tee('code'),
      get('end'),
      LESS_UNSIGNED,
      againIf,
    ),
    ...[0, 1, 2, 3].map(estimateFour),
    get('above'),
    simd(0x53),
    when(keepHits),
    get('slot'),
    i32(16),
    ADD,
    tee('slot'),
    get('groups'),
    i32(16),
    MULTIPLY,
    LESS_UNSIGNED,
    againIf,
  ),
  get('hits'),
].flat();

/** The module: imports its memory as `env.memory` and exports `scan`. */
export function assembleScan(): Uint8Array<ArrayBuffer> {
  const parameters = [I32, I32, F32, F32, F32, F32];
  const variables = [...unsigned(LOCAL_TYPES.length), ...LOCAL_TYPES.flat()];
  const code = [...variables, ...body, 0x0b];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [1, 0x60, ...unsigned(parameters.length), ...parameters, 1, I32]),
    ...section(2, [1, ...name('env'), ...name('memory'), 2, 0, ...unsigned(WASM_PAGES)]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name('scan'), 0, 0]),
    ...section(10, [1, ...unsigned(code.length), ...code]),
  ]);
}

function section(id: number, content: Code): Code {
  return [id, ...unsigned(content.length), ...content];
}

function name(text: string): Code {
  return [text.length, ...Buffer.from(text)];
}

/** A constant of sixteen bytes that repeats these. */
function vector(...pattern: readonly number[]): Code {
  const bytes = Array.from({ length: 16 }, (_, at) => pattern[at % pattern.length] ?? 0);
  return [...simd(0x0c), ...bytes];
}

/** LEB128. */
function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** Signed LEB128 of a number that is not negative. */
function signed(value: number): Code {
  return value < 0x40 ? [value] : [(value & 0x7f) | 0x80, ...signed(value >>> 7)];
}
