import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** A folder of Markdown for benchmarks. */
export interface Corpus {
  readonly dir: string;
  readonly files: number;
  readonly bytes: number;
}

/** Smaller files are licenses and one-line notes. */
const MIN_BYTES = 4096;
const FOLDERS = 60;

/**
 * Fills a folder with the Markdown of installed npm packages, repeated under other names with a separate heading
 * for each copy, up to `targetBytes`.
 */
export function buildCorpus(dir: string, packagesDir: string, targetBytes: number): Corpus {
  const sources = readdirSync(packagesDir, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(packagesDir, file))
    .filter((file) => statSync(file).size >= MIN_BYTES)
    .sort();
  let files = 0;
  let bytes = 0;
  for (let copy = 0; bytes < targetBytes && sources.length > 0; copy++) {
    for (const [index, source] of sources.entries()) {
      const text = readFileSync(source);
      const name = `${basename(dirname(source))}-${index}-${copy}.md`;
      const folder = join(dir, `topic-${(index * 7 + copy) % FOLDERS}`);
      mkdirSync(folder, { recursive: true });
      const heading = copy === 0 ? '' : `# Copy ${copy}\n\n`;
      writeFileSync(join(folder, name), Buffer.concat([Buffer.from(heading), text]));
      files += 1;
      bytes += text.length + heading.length;
      if (bytes >= targetBytes) break;
    }
  }
  return { dir, files, bytes };
}
