/**
 * Writes a tiny embedding model, for trying the `local` provider without a download:
 *
 *   node --import tsx scripts/tiny-gguf/main.ts FILE
 */
import { writeFileSync } from 'node:fs';
import { tinyModel } from './tiny-model.js';

const [file] = process.argv.slice(2);
if (file === undefined) {
  console.error('usage: node --import tsx scripts/tiny-gguf/main.ts FILE');
  process.exitCode = 2;
} else {
  const model = tinyModel();
  writeFileSync(file, model);
  console.log(`wrote ${file} (${model.length} bytes)`);
}
