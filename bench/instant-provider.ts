/**
 * An OpenAI-compatible embeddings endpoint that costs next to nothing: `node --import tsx
 * bench/instant-provider.ts DIMENSIONS` prints its address and runs until it is killed. Its
 * vectors are noise, so that only svc's own work is measured.
 */
import { createServer } from 'node:http';
import { seededRandom } from '../test/support/vector-index.js';

/** Numbers that vectors are cut from, at random places. */
const POOL = 1 << 20;

function main(): void {
  const dimensions = Number(process.argv[2] ?? 768);
  const random = seededRandom(1);
  const pool = Float32Array.from({ length: POOL + dimensions }, () => random() - 0.5);
  const vector = (): string => {
    const from = Math.floor(random() * POOL);
    return Buffer.from(pool.slice(from, from + dimensions).buffer).toString('base64');
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
