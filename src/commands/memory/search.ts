import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { examples } from '../../cli/base-command.js';
import {
  choicesFlag,
  type FlagsOf,
  maxResultsFlag,
  missingArgument,
  optionalArg,
  sessionFlags,
  shareFlag,
  switchFlag,
  targetFlags,
  textFlag,
  textsFlag,
} from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import { type OpenedMemory, type SearchOutput, searchOutput } from '../../engine/memory/index.js';
import type {
  SearchRequest,
  SearchResponse,
  SearchResult,
} from '../../engine/memory/search/index.js';
import { renderSearchResults, type SearchResultsOptions } from '../../ui/memory/search-results.js';

/** Flags that leave out what would match. */
const FILTERS = [
  'since',
  'before',
  'on',
  'where',
  'tag',
  'heading',
  'kind',
  'path',
  'source',
] as const;

export default class MemorySearch extends MemoryCommand {
  static override summary = "Search an agent's memory.";
  static override description =
    `Updates the index first if files have changed, and creates it on first use.

With an embedding provider, search is semantic as well; without one, or if it fails, it uses keywords only. --explain shows how each score came about. If multimodal.enabled is on, images and recordings are found by content and by name.

With --session-key or --chat-type, the rules of memory.ext.scope decide whether that conversation can search.

Words match in any combination and in all their forms. "quoted words" must occur as a phrase, -word must not occur, word* matches prefixes. A word that is not in the index is replaced by a similar one, unless you pass --exact. Without a query, a terminal opens the search screen.`;
  static override examples = examples(
    '"when does the backup run"',
    '"nightly backup" --workspace ./notes',
    '"which car did we buy" --explain',
    'kuberntes --exact',
    `'deploy* -staging "release notes"' --max-results 3 --json`,
    '"which car" --session-key agent:main:telegram:direct:42',
    '"what did we decide about the backups" --source sessions',
    '"what did we decide" --since 2w --tag work',
    'invoice --where status=open --where "due<2026-03-01"',
    "invoice --path 'memory/2026-*.md' --min-score 0.4",
  );
  static override aliases = ['search', 's'];
  // Unquoted words are one query.
  static override strict = false;
  static override args = {
    query: optionalArg('A question or keywords; quotes are optional. - reads stdin.'),
  };
  static override flags = {
    ...targetFlags,
    ...sessionFlags,
    since: textFlag('Only notes from this date on: a date, "last week", or 7d.', 'DATE'),
    before: textFlag('Only notes from before this date.', 'DATE'),
    on: textFlag('Only notes of this day or period.', 'DATE'),
    where: textsFlag(
      'Only notes whose front matter has key=value, key>value or key<value.',
      'CONDITION',
    ),
    tag: textsFlag('Only notes with this tag.', 'TAG'),
    heading: textFlag('Only passages under a heading that contains this text.', 'TEXT'),
    kind: textsFlag('Only this kind of document, such as pdf or image.', 'KIND'),
    exact: switchFlag('Search for the words as typed, without corrections.'),
    explain: switchFlag('Explain each score.'),
    long: switchFlag('Show whole passages on a terminal, not one line of each.', { char: 'l' }),
    'max-results': maxResultsFlag('Number of results (query.maxResults, 6).'),
    'min-score': shareFlag({ summary: 'Minimum score, 0 to 1.', helpValue: 'SCORE' }),
    'no-rerank': switchFlag('Keep the order without the reranker.'),
    path: textFlag('Only files whose path matches this glob.', 'GLOB'),
    related: switchFlag('Show the notes that each result is linked with.'),
    source: choicesFlag(['memory', 'sessions'], 'Only this source.'),
  };

  protected override readonly answersVerbatim = true;

  async run(): Promise<SearchOutput | Record<string, never>> {
    const { flags, raw } = await this.parse(MemorySearch);
    const words = raw.flatMap(({ type, input }) => (type === 'arg' ? [input] : []));
    const query = await this.queryOf(words);
    if (query === undefined || query === '') {
      if (!this.terminal().screen) {
        const hint = 'for example: svc memory search "when does the backup run"';
        throw missingArgument('QUERY', hint);
      }
      const { runSearchScreen } = await import('../../cli/search-screen.js');
      const opened = await this.openMemory(flags, { longLived: true });
      await runSearchScreen(opened, await this.commandContext(), restrictionsOf(flags));
      return {};
    }
    const memory = await this.openMemory(flags);
    if (await this.refuses(memory, flags)) return deniedOutput(memory, query);
    const request = { query, explain: flags.explain, ...restrictionsOf(flags) };
    const response = await this.query('searching', (work) => memory.backend.search(request, work));
    this.addWarnings(response.warnings);
    const related = flags.related
      ? await this.query('reading links', async (work) =>
          (await memory.backend.inspection()).links(work),
        )
      : undefined;
    const filters = FILTERS.filter((name) => (flags[name]?.length ?? 0) > 0);
    const details = { related, filters: filters.map((name) => `--${name}`) };
    if (!this.jsonEnabled()) await this.show(response, memory, flags.long, details);
    return searchOutput(memory, response, related);
  }

  /** The query that was typed, or else piped in. */
  private async queryOf(words: readonly string[]): Promise<string | undefined> {
    const typed = words.join(' ');
    if (words.length > 0 && typed !== '-') return typed;
    const { textOnStdin } = await import('../../cli/standard-streams.js');
    const piped = await textOnStdin(MOST_QUERY_BYTES, typed === '-', this.signal);
    return piped?.trim();
  }

  /** Whole passages into a pipe; on a terminal three lines a result unless `--long` asks for more. */
  private async show(
    response: SearchResponse,
    memory: OpenedMemory,
    long: boolean,
    details: Pick<SearchResultsOptions, 'filters' | 'related'>,
  ): Promise<void> {
    const options = { ...this.view(), ...details };
    if (options.columns === undefined) {
      this.write(renderSearchResults(response, options));
      return;
    }
    const [{ needsPager, page }, { default: supportsHyperlinks }] = await Promise.all([
      import('../../cli/foreground.js'),
      import('supports-hyperlinks'),
    ]);
    const href = ({ path, source, origin }: SearchResult): string | undefined =>
      source === 'memory' && origin === undefined
        ? pathToFileURL(resolve(memory.agent.workspaceDir, path)).href
        : undefined;
    const { color, screen } = this.terminal();
    const render = (links: boolean): string =>
      renderSearchResults(response, {
        ...options,
        compact: !long,
        href: links ? href : undefined,
      });
    const text = render(color && supportsHyperlinks.stdout);
    // Old pagers print the codes of links.
    if (screen && needsPager(text)) await page(render(false), process.env);
    else this.write(text);
  }
}

/** Far more than a search uses. */
const MOST_QUERY_BYTES = 1 << 20;

/** What the flags restrict a search to. */
function restrictionsOf(flags: FlagsOf<typeof MemorySearch>): Omit<SearchRequest, 'query'> {
  const { since, before, on, where, tag: tags, heading, kind: kinds } = flags;
  return {
    maxResults: flags['max-results'],
    minScore: flags['min-score'],
    sources: flags.source,
    pathGlob: flags.path,
    filters: { since, before, on, where, tags, heading, kinds },
    rerank: flags['no-rerank'] ? false : undefined,
    exact: flags.exact,
  };
}

/** Response for a session that scope rules deny. */
function deniedOutput(memory: OpenedMemory, query: string): SearchOutput {
  return {
    query,
    agent: memory.agentId,
    workspace: memory.agent.workspaceDir,
    backend: 'builtin',
    mode: 'lexical',
    provider: null,
    model: null,
    results: [],
    corrections: [],
    matches: 0,
    dates: null,
    belowMinScore: 0,
    searchMs: 0,
  };
}
