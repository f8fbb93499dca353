import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A provider of embeddings that answers at once, in a process of its own. */
export interface Provider {
  readonly url: string;
  readonly pid: number;
  readonly stop: () => void;
}

/** @param shape of the vectors; see vector-sets.ts; noise by default */
export async function startProvider(dimensions: number, shape?: string): Promise<Provider> {
  const program = fileURLToPath(new URL('instant-provider.ts', import.meta.url));
  const args = ['--import', 'tsx', program, String(dimensions)];
  if (shape !== undefined) args.push(shape);
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [url] = await once(child.stdout.setEncoding('utf8'), 'data');
  return { url: String(url).trim(), pid: child.pid ?? 0, stop: () => void child.kill() };
}
