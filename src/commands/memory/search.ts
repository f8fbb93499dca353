import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { targetFlags, withEnvironment } from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import { admissionOf } from '../../cli/session-admission.js';
import { sessionFlags } from '../../cli/session-flags.js';
import { parseShare } from '../../cli/share-flag.js';
import { createLazySyncProgress } from '../../cli/sync-progress.js';
import { SvcError } from '../../engine/errors/index.js';
import type { OpenedMemory } from '../../engine/memory/open-memory.js';
import { searchOutput } from '../../engine/memory/output.js';
import type { SearchOutput } from '../../engine/memory/output-schemas.js';
import type { SearchResponse } from '../../engine/memory/search/types.js';
import type { Source } from '../../engine/memory/types.js';
import { renderSearchResults } from '../../ui/memory/search-results.js';

type SearchResultDocument = SearchOutput | Record<string, never>;

export default class MemorySearch extends MemoryCommand<SearchResultDocument> {
  static override summary = 'Answer a question from memory.';
  static override description =
    `The index is brought up to date first when files changed, and made on first use.

Where an embedding provider is configured or found, passages are found by what they mean as well; without one, or when it fails, by words alone. --explain shows what each side gave. Where multimodal.enabled is on, images and recordings are found by what they show and say, and by their names.

An agent that says which conversation asks, by --session-key or --chat-type, gets what memory.ext.scope lets that conversation have.

Words are looked for in any combination, in all their forms. "quoted words" must stand together, -word must not occur, word* matches beginnings. Without a query, a terminal gets the search screen.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> "when does the backup run"',
    '<%= config.bin %> <%= command.id %> "nightly backup" --workspace ./notes',
    '<%= config.bin %> <%= command.id %> "which car did we buy" --explain',
    `<%= config.bin %> <%= command.id %> 'deploy* -staging "release notes"' --max-results 3 --json`,
    '<%= config.bin %> <%= command.id %> "which car" --session-key agent:main:telegram:direct:42',
    '<%= config.bin %> <%= command.id %> "what did we decide about the backups" --source sessions',
    "<%= config.bin %> <%= command.id %> invoice --path 'memory/2026-*.md' --min-score 0.4",
  ];
  static override args = {
    query: Args.string({ description: 'A question, or words.' }),
  };
  static override flags = {
    ...targetFlags,
    ...sessionFlags,
    ...withEnvironment({
      explain: Flags.boolean({ summary: 'Say how each score came about.' }),
      'max-results': Flags.integer({
        char: 'n',
        summary: 'How many results (query.maxResults, 6).',
        helpValue: 'N',
        min: 1,
        max: 1000,
      }),
      'min-score': Flags.custom<number>({
        summary: 'Leave out results that score lower; 0 to 1.',
        helpValue: 'SCORE',
        parse: async (text) => parseShare(text),
      })(),
      path: Flags.string({
        summary: 'Only files whose path matches this glob.',
        helpValue: 'GLOB',
      }),
      source: Flags.custom<Source>({
        summary: 'Only this source.',
        options: ['memory', 'sessions'],
        multiple: true,
      })(),
    }),
  };

  protected override readonly answersVerbatim = true;

  async run(): Promise<SearchResultDocument> {
    const { args, flags } = await this.parse(MemorySearch);
    const terminal = this.terminal(flags);
    const query = args.query;
    if (query === undefined || query === '') {
      if (!terminal.screen) throw missingQuery();
      const { runSearchScreen } = await import('../../cli/search-screen.js');
      await runSearchScreen(
        await this.openMemory(flags, { longLived: true }),
        this.context(),
        this.signal,
        this.mask,
      );
      return {};
    }
    const memory = await this.openMemory(flags);
    const { refusal, cites } = await admissionOf(memory, flags);
    if (refusal !== undefined) {
      this.addWarning(refusal);
      return noAnswer(memory, query);
    }
    const quiet = flags.quiet || this.jsonEnabled();
    const progress = createLazySyncProgress({ terminal, quiet, verbose: flags.verbose });
    const request = {
      query,
      maxResults: flags['max-results'],
      minScore: flags['min-score'],
      sources: flags.source,
      pathGlob: flags.path,
      explain: flags.explain,
    };
    const { signal } = this;
    const response = await memory.backend
      .search(request, { signal, onEvent: (event) => progress.onEvent(this.mask.data(event)) })
      .finally(progress.clear);
    for (const warning of response.warnings) this.addWarning(warning);
    this.write(
      renderSearchResults(response, {
        ...this.view(flags),
        citations: cites,
      }),
    );
    return searchOutput(memory, cites ? response : withoutCitations(response));
  }
}

/** What a conversation gets that may not search. */
function noAnswer(memory: OpenedMemory, query: string): SearchOutput {
  return {
    query,
    agent: memory.agentId,
    workspace: memory.agent.workspaceDir,
    backend: 'builtin',
    mode: 'lexical',
    provider: null,
    model: null,
    results: [],
    matches: 0,
    belowMinScore: 0,
    searchMs: 0,
  };
}

function withoutCitations(response: SearchResponse): SearchResponse {
  return { ...response, results: response.results.map(({ citation: _, ...result }) => result) };
}

function missingQuery(): SvcError {
  return new SvcError('USAGE', 'nothing to search for', {
    hint: 'give a question: svc memory search "when does the backup run"',
  });
}
