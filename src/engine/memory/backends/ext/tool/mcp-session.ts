import {
  Client,
  deserializeMessage,
  type JSONRPCMessage,
  type Tool as ListedTool,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { type AnnounceProgram, type ChildCall, ChildGroup } from '../../../../child/child-group.js';
import { messageOf } from '../../../../errors/index.js';
import { withinTime } from '../../../../support/async.js';
import { readLines } from '../../../../support/read-lines.js';
import { isRecord } from '../../../../support/text.js';
import { type ExtMode, merged, oneLine, type ToolQuestion } from './ask-program.js';
import { type Tool, ToolFailure } from './open-tool.js';
import { hitOf, type ToolHit } from './read-answer.js';
import { msUntil, type RunOptions, TEST_STEPS } from './run-tool.js';

export interface McpSessionOptions {
  readonly tool: Tool;
  /** `memory.ext.searchTool`. */
  readonly searchTool: string | undefined;
  readonly announce: AnnounceProgram;
  /** Called once the program has ended. */
  readonly onClosed: () => void;
}

/** How long the program may take to become ready; models are loaded by the first query. */
const START_TIMEOUT_MS = 15_000;

/**
 * The program kept running as an MCP server, so that queries need no start and models stay loaded. Opened by
 * the first query, closed once; a broken session is not reused.
 */
export class McpSession {
  private readonly options: McpSessionOptions;
  private readonly transport: ChildTransport;
  private readonly client = new Client({ name: 'svc', version: '1' });
  private readonly opened: Promise<readonly OfferedTool[]>;
  private hasClosed = false;

  constructor(options: McpSessionOptions) {
    const { tool, announce } = options;
    const { program, env, cwd } = tool;
    this.options = options;
    this.transport = new ChildTransport({ command: [program, 'mcp'], env, cwd, announce });
    this.opened = this.open();
    // Callers receive the rejection.
    this.opened.catch(() => undefined);
  }

  /** @returns undefined when this release must be run per query instead @throws ToolFailure; the signal's reason */
  async ask(question: ToolQuestion, run: RunOptions): Promise<readonly ToolHit[] | undefined> {
    const started = performance.now();
    try {
      const start = await withinTime(run.timeoutMs, run.signal, () => this.opened);
      if (!start.done) throw new Error('its start timed out');
      const plan = planMcp(start.value, question.mode, this.options.searchTool);
      if (plan === undefined) return undefined;
      const timeoutMs = run.timeoutMs - (performance.now() - started);
      return await callTools(this.client, plan, question, { ...run, timeoutMs });
    } catch (error) {
      run.signal?.throwIfAborted();
      if (error instanceof ToolFailure) throw error;
      throw new ToolFailure(
        /timed? ?out/iu.test(messageOf(error)) ? 'BACKEND_TIMEOUT' : 'BACKEND_FAILED',
        `the external search program gave no answer over MCP: ${messageOf(error)}`,
        TEST_STEPS,
      );
    }
  }

  async close(): Promise<void> {
    if (this.hasClosed) return;
    this.hasClosed = true;
    // Not through the client: if it is not connected yet, it would leave the program running.
    await this.transport.close();
    await this.client.close();
    this.options.onClosed();
  }

  private async open(): Promise<readonly OfferedTool[]> {
    const timeout = { timeout: START_TIMEOUT_MS };
    await this.client.connect(this.transport, timeout);
    const { tools } = await this.client.listTools(undefined, timeout);
    return tools.map(offeredTool);
  }
}

async function callTools(
  client: Client,
  plan: McpPlan,
  question: ToolQuestion,
  { timeoutMs, signal }: RunOptions,
): Promise<readonly ToolHit[]> {
  const deadline = performance.now() + timeoutMs;
  const answers: (readonly ToolHit[])[] = [];
  for (const args of callsOf(plan, question)) {
    const timeout = msUntil(deadline);
    const options = { timeout, ...(signal === undefined ? {} : { signal }) };
    const result = await client.callTool({ name: plan.name, arguments: { ...args } }, options);
    if (result.isError === true)
      throw new Error(`its tool ${plan.name} failed: ${wordsIn(result.content)}`);
    answers.push(hitsIn(result.structuredContent));
  }
  const names = new Set(question.collections);
  return merged(answers, question.limit).filter(({ collection }) => names.has(collection));
}

function hitsIn(content: unknown): readonly ToolHit[] {
  const results = isRecord(content) ? content['results'] : undefined;
  if (!Array.isArray(results)) throw new Error('it answered without results');
  return results.flatMap(hitOf);
}

function wordsIn(content: readonly unknown[]): string {
  const words = content.flatMap((part) =>
    isRecord(part) && typeof part['text'] === 'string' ? [part['text']] : [],
  );
  return words.join(' ').slice(0, 300);
}

function offeredTool({ name, inputSchema }: Pick<ListedTool, 'inputSchema' | 'name'>): OfferedTool {
  const properties = isRecord(inputSchema) ? inputSchema['properties'] : undefined;
  return { name, properties: new Set(isRecord(properties) ? Object.keys(properties) : []) };
}

/** No answer is longer than this. */
const MOST_MESSAGE_BYTES = 8 * 1024 * 1024;

/**
 * MCP over stdio of a program in its own process group, so that its children end with it; the SDK's transport
 * does not do that.
 */
class ChildTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private readonly call: ChildCall;
  private child: ChildGroup | undefined;
  private isClosed = false;

  constructor(call: ChildCall) {
    this.call = call;
  }

  async start(): Promise<void> {
    if (this.isClosed) throw new Error('the program was stopped before it started');
    const child = new ChildGroup(this.call);
    this.child = child;
    readLines(child.stdout, {
      mostBytes: MOST_MESSAGE_BYTES,
      onLine: (line) => this.receive(line),
    });
    // Output for people; nobody reads it.
    child.stderr.resume();
    child.ended.then(() => this.onclose?.());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.child?.stdin;
    if (stdin === undefined || stdin.destroyed) throw new Error('the program has ended');
    stdin.write(serializeMessage(message));
  }

  async close(): Promise<void> {
    const { child } = this;
    this.isClosed = true;
    if (child === undefined) return;
    child.stdin.end();
    child.stop();
    await child.ended;
  }

  private receive(line: string): void {
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch {
      // A banner between messages.
      return;
    }
    this.onmessage?.(message);
  }
}

/** A tool that the program offers over MCP. */
export interface OfferedTool {
  readonly name: string;
  /** The names of its arguments. */
  readonly properties: ReadonlySet<string>;
}

/** How a query is passed to one of the offered tools. */
interface McpPlan {
  readonly name: string;
  /** `typed`: a list of searches with their kinds; `plain`: a text. */
  readonly style: 'plain' | 'typed';
  /** Whether one call names several collections, one, or none. */
  readonly collections: 'many' | 'none' | 'one';
  /** Whether it can skip loading a model for ranking. */
  readonly canSkipRanking: boolean;
}

/** Names that releases gave their tools, newest first; `query` came last and does everything. */
const NAMES: Readonly<Record<ExtMode, readonly string[]>> = {
  search: ['search', 'qmd_search'],
  vsearch: ['vector_search', 'vsearch', 'qmd_vsearch'],
  query: ['query', 'deep_search', 'qmd_query'],
};

/**
 * Chooses the tool for a mode.
 *
 * @returns undefined when the release cannot do the mode over MCP and must be run instead. One that always ranks with a
 *   model would load it for a lexical search.
 */
export function planMcp(
  tools: readonly OfferedTool[],
  mode: ExtMode,
  named: string | undefined,
): McpPlan | undefined {
  const find = (name: string): OfferedTool | undefined => tools.find((tool) => tool.name === name);
  if (named !== undefined) {
    const tool = find(named);
    return tool === undefined ? undefined : planOf(tool, mode);
  }
  const general = find('query');
  const typed = general?.properties.has('searches') === true ? planOf(general, mode) : undefined;
  if (typed !== undefined && (mode === 'query' || typed.canSkipRanking)) return typed;
  const [tool] = NAMES[mode].flatMap((name) => find(name) ?? []);
  return tool === undefined ? undefined : planOf(tool, mode);
}

function planOf({ name, properties }: OfferedTool, mode: ExtMode): McpPlan {
  const has = (property: string): boolean => properties.has(property);
  return {
    name,
    // A plain query is what the release expands itself.
    style: has('searches') && !(mode === 'query' && has('query')) ? 'typed' : 'plain',
    collections: has('collections') ? 'many' : has('collection') ? 'one' : 'none',
    canSkipRanking: has('rerank'),
  };
}

/** The arguments of each call that a query needs. */
export function callsOf(
  { style, collections: named, canSkipRanking }: McpPlan,
  { mode, query, collections, limit }: ToolQuestion,
): readonly Readonly<Record<string, unknown>>[] {
  const text = oneLine(query);
  const args =
    style === 'plain'
      ? { query: text, limit }
      : { searches: TYPES[mode].map((type) => ({ type, query: text })), limit };
  const ranked = canSkipRanking && mode !== 'query' ? { ...args, rerank: false } : args;
  switch (named) {
    case 'many':
      return [{ ...ranked, collections }];
    case 'one':
      return collections.map((collection) => ({ ...ranked, collection }));
    case 'none':
      return [ranked];
  }
}

const TYPES: Readonly<Record<ExtMode, readonly string[]>> = {
  search: ['lex'],
  vsearch: ['vec'],
  query: ['lex', 'vec'],
};
