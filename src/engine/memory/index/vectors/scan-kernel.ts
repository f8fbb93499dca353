import { GROUP, PAGE_SLOTS } from './code-page.js';
import { assembleScan, MEMORY, WASM_PAGES } from './scan-wasm.js';
import { floatsOf } from './vector-bytes.js';

// The types of Node.js leave WebAssembly to those of browsers, which this program does without.
declare global {
  namespace WebAssembly {
    class Memory {
      constructor(descriptor: { readonly initial: number });
      readonly buffer: ArrayBuffer;
    }
    class Module {
      constructor(bytes: Uint8Array);
    }
    class Instance {
      constructor(
        module: Module,
        imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
      );
      readonly exports: Readonly<Record<string, unknown>>;
    }
  }
}

/** What the signs of a query weigh: for each four of them a table of the 16 possible sums. */
export interface QueryTables {
  /** Of the codes that it is for. */
  readonly bytes: number;
  /** 16 bytes for each four dimensions. */
  readonly tables: Uint8Array;
  /** The sum is `least + step × (sum of table entries)`. */
  readonly least: number;
  readonly step: number;
}

/** Looks through a page at a time. */
export interface ScanKernel {
  /**
   * Estimates all slots of a page and gives the number of those above a threshold, whose slots and
   * estimates are then in {@link slots} and {@link estimates}.
   *
   * @param base what all estimates of the page have in common
   */
  scan(page: ScannedPage, query: QueryTables, base: number, threshold: number): number;
  readonly slots: Uint32Array;
  readonly estimates: Float32Array;
}

/** The columns of a page as they are stored. */
export interface ScannedPage {
  readonly slots: number;
  readonly scales: Buffer;
  readonly offsets: Buffer;
  readonly codes: Uint8Array;
}

/** Entries stay below half a byte's range, so that two of them add up within one. */
const MAX_ENTRY = 127;
const TABLE = 16;

/**
 * @param query rotated
 * @param bytes of the codes
 */
export function queryTables(query: Float64Array, bytes: number): QueryTables {
  const positions = bytes * 2;
  const reach = new Float64Array(positions);
  for (let at = 0; at < positions * 4; at++) {
    const position = at >> 2;
    reach[position] = (reach[position] ?? 0) + Math.abs(query[at] ?? 0);
  }
  const least = -reach.reduce((sum, value) => sum + value, 0);
  const step = (2 * reach.reduce((most, value) => Math.max(most, value), 0)) / MAX_ENTRY || 1;
  const tables = new Uint8Array(positions * TABLE);
  for (let position = 0; position < positions; position++) {
    for (let bits = 0; bits < TABLE; bits++) {
      let sum = reach[position] ?? 0;
      for (let bit = 0; bit < 4; bit++) {
        const value = query[position * 4 + bit] ?? 0;
        sum += (bits >> bit) % 2 === 1 ? value : -value;
      }
      tables[position * TABLE + bits] = Math.round(sum / step);
    }
  }
  return { bytes, tables, least, step };
}

/** A kernel in WebAssembly where its vector instructions are there, else one in JavaScript. */
export function createScanKernel(): ScanKernel {
  return wasmKernel() ?? plainKernel();
}

/** Undefined where the processor or the settings of Node.js allow none. */
export function wasmKernel(): ScanKernel | undefined {
  const memory = new WebAssembly.Memory({ initial: WASM_PAGES });
  const scanPage = instantiate(memory);
  if (scanPage === undefined) return undefined;
  const bytes = new Uint8Array(memory.buffer);
  let loaded: QueryTables | undefined;
  return {
    slots: new Uint32Array(memory.buffer, MEMORY.slots, PAGE_SLOTS),
    estimates: new Float32Array(memory.buffer, MEMORY.estimates, PAGE_SLOTS),
    scan(page, query, base, threshold) {
      if (loaded !== query) bytes.set(query.tables, MEMORY.tables);
      loaded = query;
      bytes.set(page.scales, MEMORY.scales);
      bytes.set(page.offsets, MEMORY.offsets);
      bytes.set(page.codes, MEMORY.codes);
      const { least, step } = query;
      return scanPage(page.slots / GROUP, query.bytes, least, step, base, threshold);
    },
  };
}

type ScanPage = (
  groups: number,
  codeBytes: number,
  least: number,
  step: number,
  base: number,
  threshold: number,
) => number;

function instantiate(memory: WebAssembly.Memory): ScanPage | undefined {
  try {
    const module = new WebAssembly.Module(assembleScan());
    const { scan } = new WebAssembly.Instance(module, { env: { memory } }).exports;
    if (typeof scan !== 'function') return undefined;
    return (...values) => Number(scan(...values));
  } catch {
    return undefined;
  }
}

/** The same to the last bit, in plain code. */
export function plainKernel(): ScanKernel {
  const slots = new Uint32Array(PAGE_SLOTS);
  const estimates = new Float32Array(PAGE_SLOTS);
  const { fround } = Math;
  return {
    slots,
    estimates,
    scan(page, { bytes, tables, least, step }, base, threshold) {
      const scales = floatsOf(page.scales);
      const offsets = floatsOf(page.offsets);
      const limit = fround(threshold);
      let hits = 0;
      for (let slot = 0; slot < page.slots; slot++) {
        const start = (slot - (slot % GROUP)) * bytes + (slot % GROUP);
        let entries = 0;
        for (let byte = 0; byte < bytes; byte++) {
          const code = page.codes[start + byte * GROUP] ?? 0;
          const table = byte * 2 * TABLE;
          entries +=
            (tables[table + (code & 15)] ?? 0) + (tables[table + TABLE + (code >> 4)] ?? 0);
        }
        const sum = fround(fround(least) + fround(fround(step) * entries));
        const shared = fround((offsets[slot] ?? 0) + fround(base));
        const estimate = fround(shared + fround((scales[slot] ?? 0) * sum));
        if (!(estimate > limit)) continue;
        slots[hits] = slot;
        estimates[hits] = estimate;
        hits += 1;
      }
      return hits;
    },
  };
}
