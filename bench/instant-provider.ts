/**
 * An OpenAI-compatible embeddings endpoint with almost no cost: `node --import tsx
 * bench/instant-provider.ts DIMENSIONS [SHAPE]` prints its address and runs until it is killed. Its vectors are
 * noise, so that only svc's own work is measured, or of a shape from vector-sets.ts, so that queries have
 * neighbors.
 */
import { createServer } from 'node:http';
import { seededRandom } from '../src/engine/eval/random.js';
import { SHAPES, vectorsOf } from './vector-sets.js';

/** Noise that vectors are cut from at random offsets. */
const POOL = 1 << 20;

function* noiseOf(dimensions: number): Generator<Float32Array> {
  const random = seededRandom(1);
  const pool = Float32Array.from({ length: POOL + dimensions }, () => random() - 0.5);
  for (;;) {
    const from = Math.floor(random() * POOL);
    yield pool.slice(from, from + dimensions);
  }
}

function main(): void {
  const dimensions = Number(process.argv[2] ?? 768);
  const shape = Object.values(SHAPES).find(({ name }) => name === process.argv[3]);
  const vectors = shape === undefined ? noiseOf(dimensions) : vectorsOf(shape, dimensions);
  const vector = (): string => {
    const { value } = vectors.next();
    const { buffer, byteOffset, byteLength } = value;
    return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { input }: { input: string | readonly string[] } = JSON.parse(
        Buffer.concat(parts).toString('utf8'),
      );
      const items = [input]
        .flat()
        .map((_, index) => `{"index":${index},"embedding":"${vector()}"}`);
      response.setHeader('content-type', 'application/json');
      response.end(`{"object":"list","data":[${items.join(',')}],"usage":{"total_tokens":1}}`);
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object') console.log(`http://127.0.0.1:${address?.port}/v1`);
  });
}

main();
