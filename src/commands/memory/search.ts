import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { targetFlags, withEnvironment } from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import type { SearchResponse } from '../../engine/memory/search/types.js';

export default class MemorySearch extends MemoryCommand<SearchResponse> {
  static override summary = 'Answer a question from memory.';
  static override args = {
    query: Args.string({ description: 'a question or words' }),
  };
  static override flags = {
    ...targetFlags,
    ...withEnvironment({
      'max-results': Flags.integer({ char: 'n', summary: 'How many results.', min: 1, max: 100 }),
    }),
  };

  async run(): Promise<SearchResponse> {
    const { args, flags } = await this.parse(MemorySearch);
    const memory = await this.openMemory(flags);
    const r = await memory.backend.search(
      { query: args.query ?? '', maxResults: flags['max-results'] ?? 6, minScore: 0 },
      { signal: this.signal },
    );
    for (const x of r.results) this.write(`${x.score} ${x.citation}`);
    return r;
  }
}
