/**
 * Runs one query on an index in a separate process: `node vector-query.js INDEX QUERY`, where QUERY is a file
 * of 32-bit floats. Bundled and run by bench/vectors.ts.
 */
import { readFileSync } from 'node:fs';
import { openIndex } from '../src/engine/memory/index/sqlite/sqlite-index.js';
import { IDENTITY, RESULT_COUNT } from './vector-names.js';

async function main(): Promise<void> {
  const [indexFile, queryFile] = process.argv.slice(2);
  if (indexFile === undefined || queryFile === undefined) throw new Error('INDEX QUERY');
  const opened = openIndex(indexFile, 'read');
  if (opened.state !== 'ready') throw new Error(opened.state);
  const query = new Float32Array(new Uint8Array(readFileSync(queryFile)).buffer);
  const found = await opened.index.vectorCandidates(IDENTITY, query, RESULT_COUNT);
  process.stdout.write(`${found.length}\n`);
  opened.index.close();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
