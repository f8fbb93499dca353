import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod/mini';
import type { FoundBug } from './target.js';

/** Inputs that once broke a promise, in a folder per target. */
const SEEDS = fileURLToPath(new URL('seeds', import.meta.url));

const seedSchema = z.object({
  /** What the input did, for people. */
  about: z.string(),
  input: z.unknown(),
});

/** An input that once broke a promise. */
export interface Seed extends z.infer<typeof seedSchema> {
  /** File name. */
  readonly name: string;
}

/** All seeds of a target. */
export function seedsOf(target: string): readonly Seed[] {
  let names: readonly string[] = [];
  try {
    names = readdirSync(join(SEEDS, target)).sort();
  } catch {
    return [];
  }
  return names.map((name) => {
    return {
      name,
      ...seedSchema.parse(JSON.parse(readFileSync(join(SEEDS, target, name), 'utf8'))),
    };
  });
}

/** Stores a seed. @returns its file */
export function keepSeed(target: string, { input, why }: FoundBug): string {
  const about = why.split('\n')[0] ?? '';
  const name = createHash('sha256').update(JSON.stringify(input)).digest('hex').slice(0, 12);
  const file = join(SEEDS, target, `${name}.json`);
  if (existsSync(file)) return file;
  mkdirSync(join(SEEDS, target), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ about, input }, undefined, 2)}\n`);
  return file;
}
