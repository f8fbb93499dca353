/*
 * Postings as bytes. The hits of a term are a sequence of runs: the id of the first chunk, how many chunks, and for
 * each the distance from the one before it (absent for the first) and its weight. Runs come from one change set each,
 * so they never overlap. Where a term is in a chunk is in separate bytes, because only phrases need it: for each hit
 * of the same sequence its places, ended by a zero.
 *
 * All numbers have seven bits in each byte, the lowest first; the highest bit is set in all but the last byte.
 */

const MORE = 0x80;
const BITS = 7;

class Bytes {
  private bytes = Buffer.allocUnsafe(64);
  length = 0;

  add(value: number): void {
    if (this.length + 5 > this.bytes.length) {
      const larger = Buffer.allocUnsafe(2 * this.bytes.length);
      this.bytes.copy(larger);
      this.bytes = larger;
    }
    let left = value;
    while (left >= MORE) {
      this.bytes[this.length++] = (left & (MORE - 1)) | MORE;
      left >>>= BITS;
    }
    this.bytes[this.length++] = left;
  }

  /** What was added, which starts over. */
  take(): Buffer {
    const taken = Buffer.from(this.bytes.subarray(0, this.length));
    this.length = 0;
    return taken;
  }
}

/** Consecutive hits of a term in one change set; ids are relative to its first chunk. */
export interface Run {
  readonly first: number;
  readonly count: number;
  /** The hits after the run's first id and count. */
  readonly hits: Buffer;
  readonly places: Buffer;
}

/** A place of a term in a chunk: the column and the word's position in it. */
const COLUMN_FACTOR = 2 ** 24;
/** In the bytes of places: a column follows. Distances are two more than they are. */
const COLUMN_MARK = 1;
const FIRST_DISTANCE = 2;

/** Runs longer than this are divided, so that a row stays in its page and is read as needed. */
const LONGEST_RUN = 1500;

/** Encodes the hits of a term; ids and places must ascend. */
export class RunWriter {
  private readonly weights: readonly number[];
  private readonly hits = new Bytes();
  private readonly places = new Bytes();
  private runs: Run[] = [];
  private first = -1;
  private count = 0;
  private chunk = -1;
  private previous = -1;
  private weight = 0;
  private column = 0;
  private position = 0;

  /** @param weights of the columns, as whole numbers */
  constructor(weights: readonly number[]) {
    this.weights = weights;
  }

  add(chunk: number, column: number, position: number): void {
    if (chunk !== this.chunk) {
      this.endChunk();
      if (this.hits.length + this.places.length > LONGEST_RUN) this.endRun();
      this.chunk = chunk;
      this.column = 0;
      this.position = 0;
    }
    if (column !== this.column) {
      this.places.add(COLUMN_MARK);
      this.places.add(column);
      this.column = column;
      this.position = 0;
    }
    this.places.add(position - this.position + FIRST_DISTANCE);
    this.position = position;
    this.weight += this.weights[column] ?? 0;
  }

  /** The term's runs; the next call adds to another term. */
  take(): readonly Run[] {
    this.endChunk();
    this.endRun();
    const { runs } = this;
    this.runs = [];
    return runs;
  }

  private endChunk(): void {
    if (this.chunk < 0) return;
    if (this.first < 0) this.first = this.chunk;
    else this.hits.add(this.chunk - this.previous);
    this.hits.add(this.weight);
    this.places.add(0);
    this.previous = this.chunk;
    this.count += 1;
    this.chunk = -1;
    this.weight = 0;
  }

  private endRun(): void {
    if (this.count === 0) return;
    const [hits, places] = [this.hits.take(), this.places.take()];
    this.runs.push({ first: this.first, count: this.count, hits, places });
    this.first = -1;
    this.count = 0;
  }
}

/** The bytes of a run's hits, with the ids that its chunks have got. */
export function runBytes({ first, count, hits }: Run, firstChunk: number): Buffer {
  const head = new Bytes();
  head.add(firstChunk + first);
  head.add(count);
  return Buffer.concat([head.take(), hits]);
}

/** The hits of a term or a phrase, by chunk id. */
export interface Hits {
  readonly ids: Int32Array;
  /** For each chunk: the sum of the weights of the columns that it is in, once for each occurrence. */
  readonly weights: Int32Array;
}

/** Hits of a term, with its places in each chunk if they were read. */
export interface TermHits extends Hits {
  /** @param hit the chunk's position among the ids */
  readonly placesOf?: ((hit: number) => readonly number[]) | undefined;
}

/** Rows of bytes of one term. */
export interface PostingBytes {
  readonly hits: Buffer;
  /** Absent unless asked for. */
  readonly places?: Buffer | undefined;
}

/** Decodes rows of one term, in any order, without the chunks that are gone. */
export function decodeHits(
  rows: readonly PostingBytes[],
  isGone: (chunk: number) => boolean,
): TermHits {
  const runs = rows.flatMap(runsIn).sort((a, b) => a.first - b.first);
  const most = runs.reduce((sum, { count }) => sum + count, 0);
  const ids = new Int32Array(most);
  const weights = new Int32Array(most);
  const offsets = new Int32Array(most);
  const sources: Buffer[] = [];
  const sourceOf = new Int32Array(most);
  let kept = 0;
  for (const { reader, placeReader, first, count } of runs) {
    if (placeReader !== undefined) sources.push(placeReader.bytes);
    let id = first;
    for (let at = 0; at < count; at++) {
      if (at > 0) id += reader.next();
      const weight = reader.next();
      const offset = placeReader?.at ?? 0;
      placeReader?.skip();
      if (isGone(id)) continue;
      ids[kept] = id;
      weights[kept] = weight;
      offsets[kept] = offset;
      sourceOf[kept] = sources.length - 1;
      kept += 1;
    }
  }
  const hits = { ids: ids.subarray(0, kept), weights: weights.subarray(0, kept) };
  if (rows.some((row) => row.places === undefined)) return hits;
  // Most are never asked for: only those of chunks that have all words of a phrase.
  const placesOf = (hit: number): readonly number[] => {
    const source = sources[sourceOf[hit] ?? 0];
    return source === undefined ? [] : placesAt(new Reader(source, offsets[hit]));
  };
  return { ...hits, placesOf };
}

/** A row of bytes of one term with its places. */
export interface Postings extends PostingBytes {
  readonly places: Buffer;
}

/** A row of one term without some chunks; undefined if it has none of them. */
export function withoutChunks(
  row: Postings,
  isGone: (chunk: number) => boolean,
): Postings | undefined {
  if (!runsIn({ hits: row.hits }).some((run) => chunksIn(run).some(isGone))) return undefined;
  const [head, body] = [new Bytes(), new Bytes()];
  const hits: Buffer[] = [];
  const places: Buffer[] = [];
  for (const { reader, placeReader = new Reader(row.places), first, count } of runsIn(row)) {
    let [id, previous, kept] = [first, 0, 0];
    for (let at = 0; at < count; at++) {
      if (at > 0) id += reader.next();
      const weight = reader.next();
      const from = placeReader.at;
      placeReader.skip();
      if (isGone(id)) continue;
      if (kept === 0) head.add(id);
      else body.add(id - previous);
      body.add(weight);
      places.push(row.places.subarray(from, placeReader.at));
      previous = id;
      kept += 1;
    }
    if (kept === 0) continue;
    head.add(kept);
    hits.push(head.take(), body.take());
  }
  return { hits: Buffer.concat(hits), places: Buffer.concat(places) };
}

/** The ids of a run's chunks. */
function chunksIn({ reader, first, count }: RunAt): readonly number[] {
  const ids = [first];
  for (let at = 1, id = first; at < count; at++) {
    reader.next();
    id += reader.next();
    ids.push(id);
  }
  return ids;
}

interface RunAt {
  readonly reader: Reader;
  readonly placeReader: Reader | undefined;
  readonly first: number;
  readonly count: number;
}

/** The runs of a row, each with readers at its beginning. */
function runsIn({ hits, places }: PostingBytes): RunAt[] {
  const runs: RunAt[] = [];
  const scan = new Reader(hits);
  const placeScan = places === undefined ? undefined : new Reader(places);
  while (scan.at < hits.length) {
    const first = scan.next();
    const count = scan.next();
    const reader = new Reader(hits, scan.at);
    const placeReader = places === undefined ? undefined : new Reader(places, placeScan?.at ?? 0);
    runs.push({ reader, placeReader, first, count });
    for (let skip = 2 * count - 1; skip > 0; skip--) scan.next();
    if (placeScan !== undefined) for (let skip = count; skip > 0; skip--) placeScan.skip();
  }
  return runs;
}

function placesAt(reader: Reader): number[] {
  const places: number[] = [];
  let [column, position] = [0, 0];
  for (let value = reader.next(); value !== 0; value = reader.next()) {
    if (value === COLUMN_MARK) {
      column = reader.next();
      position = 0;
      continue;
    }
    position += value - FIRST_DISTANCE;
    places.push(column * COLUMN_FACTOR + position);
  }
  return places;
}

/** The column of a place. */
export function columnOf(place: number): number {
  return Math.floor(place / COLUMN_FACTOR);
}

class Reader {
  readonly bytes: Buffer;
  at: number;

  constructor(bytes: Buffer, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  next(): number {
    let byte = this.bytes[this.at++] ?? 0;
    if (byte < MORE) return byte;
    let value = byte & (MORE - 1);
    for (let shift = BITS; byte >= MORE && shift < 32; shift += BITS) {
      byte = this.bytes[this.at++] ?? 0;
      value |= (byte & (MORE - 1)) << shift;
    }
    return value;
  }

  /** To the place after the next zero. */
  skip(): void {
    const end = this.bytes.indexOf(0, this.at);
    this.at = end < 0 ? this.bytes.length : end + 1;
  }
}
