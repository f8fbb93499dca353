import { SvcError } from '../errors/index.js';
import type { GetResponse, MemoryBackend } from '../memory/backends/memory-backend.js';

/** Far more than any note has; what is given at once is bounded by the backend. */
const ALL_LINES = 1_000_000;

/**
 * The lines of a file as memory gives them, by their numbers; of a transcript, only those that say
 * something. Null for a file that cannot be read now.
 */
export type FileLines = ReadonlyMap<number, string> | null;

/** Reads files through a memory, each once. */
export class FileReader {
  private readonly backend: MemoryBackend;
  private readonly known = new Map<string, FileLines>();

  constructor(backend: MemoryBackend) {
    this.backend = backend;
  }

  async linesOf(path: string): Promise<FileLines> {
    const known = this.known.get(path);
    if (known !== undefined) return known;
    const lines = await this.read(path);
    this.known.set(path, lines);
    return lines;
  }

  private async read(path: string): Promise<FileLines> {
    const lines = new Map<number, string>();
    try {
      for (let from = 1; ; ) {
        const given = await this.backend.get({ target: path, from, lines: ALL_LINES });
        for (const [line, text] of numbered(given)) lines.set(line, text);
        if (given.turns !== undefined || given.endLine >= given.totalLines) return lines;
        from = given.endLine + 1;
      }
    } catch (error) {
      if (error instanceof SvcError) return null;
      throw error;
    }
  }
}

function numbered({ turns, text, startLine }: GetResponse): readonly (readonly [number, string])[] {
  if (turns !== undefined) return turns.map((turn) => [turn.line, turn.text]);
  return text.split('\n').map((line, at) => [startLine + at, line]);
}
