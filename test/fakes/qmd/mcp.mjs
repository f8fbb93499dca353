/** `qmd mcp`: JSON-RPC over stdio, one message a line. */
import { createInterface } from 'node:readline';
import { findDocuments } from './search.mjs';
import { numbered, snippetOf } from './snippets.mjs';
import { readIndex } from './store.mjs';

const REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const NO_ARGUMENTS = { type: 'object', properties: {} };

/**
 * Serves until stdin ends.
 *
 * @param context `places` and `release`; `onRequest` is called with each request, and may end the process
 */
export function serveMcp(context) {
  const answer = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
  createInterface({ input: process.stdin }).on('line', (line) => {
    const request = JSON.parse(line);
    if (context.onRequest(request) === 'no answer' || request.id === undefined) return;
    answer({ jsonrpc: '2.0', id: request.id, ...respond(request, context) });
  });
}

function respond({ method, params = {} }, context) {
  if (method === 'initialize') return { result: welcome(params, context) };
  if (method === 'ping') return { result: {} };
  if (method === 'tools/list') return { result: { tools: toolsOf(context.release) } };
  if (method === 'tools/call') return callTool(params, context);
  return { error: { code: -32601, message: 'Method not found' } };
}

function welcome({ protocolVersion }, { release }) {
  return {
    protocolVersion: REVISIONS.includes(protocolVersion) ? protocolVersion : REVISIONS[0],
    capabilities: { resources: { listChanged: true }, tools: { listChanged: true } },
    serverInfo: { name: 'qmd', version: release.version.split(' ')[0] },
    instructions: 'QMD is your local search engine.',
  };
}

const SEARCH = schema(
  {
    query: { type: 'string' },
    limit: { type: 'number', default: 10 },
    minScore: { type: 'number', default: 0 },
    collection: { type: 'string' },
  },
  ['query'],
);

const PART = schema(
  { type: { type: 'string', enum: ['lex', 'vec', 'hyde'] }, query: { type: 'string' } },
  ['type', 'query'],
);

const PARTS = {
  searches: { type: 'array', items: PART, maxItems: 10 },
  limit: { type: 'number', default: 10 },
  minScore: { type: 'number', default: 0 },
  candidateLimit: { type: 'number' },
  collections: { type: 'array', items: { type: 'string' } },
  intent: { type: 'string' },
};

const READERS = [
  tool('get', ['file', 'fromLine', 'maxLines', 'lineNumbers']),
  tool('multi_get', ['pattern', 'maxLines', 'maxBytes', 'lineNumbers']),
  { name: 'status', inputSchema: NO_ARGUMENTS },
];

const TOOLS = {
  'three tools': ['search', 'vector_search', 'deep_search'].map((name) => ({
    name,
    inputSchema: SEARCH,
  })),
  'query of parts': [
    {
      name: 'query',
      inputSchema: schema({ ...PARTS, searches: { ...PARTS.searches, minItems: 1 } }, ['searches']),
    },
  ],
  'query or parts': [
    {
      name: 'query',
      inputSchema: schema({ query: { type: 'string' }, ...PARTS, rerank: { type: 'boolean' } }, []),
    },
  ],
};

function toolsOf({ mcp }) {
  return [...TOOLS[mcp], ...READERS];
}

function schema(properties, required) {
  return { type: 'object', properties, required };
}

function tool(name, properties) {
  const all = Object.fromEntries(properties.map((property) => [property, {}]));
  return { name, inputSchema: schema(all, properties.slice(0, 1)) };
}

function callTool({ name, arguments: args = {} }, { places, release }) {
  const called = toolsOf(release).find((one) => one.name === name);
  if (called === undefined) return unknownTool(name, release);
  const missing = called.inputSchema.required?.find((property) => args[property] === undefined);
  if (missing !== undefined) return { result: invalidArguments(name, missing, called) };
  const index = readIndex(places);
  if (called.inputSchema === SEARCH) return { result: searchTool(name, args, index, release) };
  if (name === 'query') return { result: queryTool(args, index, release) };
  throw new Error(`the fake does not have the tool ${name}`);
}

function unknownTool(name, { mcpUnknownTool }) {
  const message = `Tool ${name} not found`;
  if (mcpUnknownTool === 'error') return { error: { code: -32602, message } };
  return { result: errorResult(`MCP error -32602: ${message}`) };
}

function invalidArguments(name, missing, { inputSchema }) {
  const { type } = inputSchema.properties[missing];
  const what = `Invalid input: expected ${type}, received undefined at ${missing}`;
  const where = `Input validation error: Invalid arguments for tool ${name}`;
  return errorResult(`MCP error -32602: ${where}: ${what}`);
}

function searchTool(name, { query, limit = 10, minScore = 0, collection }, index, release) {
  const mode = { search: 'search', vector_search: 'vsearch', deep_search: 'query' }[name];
  if (mode === 'vsearch' && index.embedded.length === 0) {
    return errorResult("Vector index not found. Run 'qmd embed' first to create embeddings.");
  }
  const names = collection === undefined ? [] : [collection];
  const found = findDocuments(index, mode, query, { names, release });
  return results(found.filter(({ score }) => score >= minScore).slice(0, limit), query, release);
}

function queryTool(args, index, release) {
  const { query, searches = [], limit = 10, minScore = 0, collections = [] } = args;
  if (query === undefined && searches.length === 0) {
    return errorResult(
      "Error: provide either 'query' (plain text) or 'searches' (typed sub-queries)",
    );
  }
  if (query !== undefined && searches.length > 0) {
    return errorResult("Error: 'query' and 'searches' are mutually exclusive; provide only one");
  }
  const parts = query === undefined ? searches : [{ type: 'expand', query }];
  const modes = { lex: 'search', vec: 'vsearch', hyde: 'vsearch', expand: 'query' };
  const scopes = collections.length === 0 ? namesIn(index) : collections;
  const lists = parts.flatMap((part) =>
    scopes.map((name) =>
      findDocuments(index, modes[part.type], part.query, { names: [name], release }),
    ),
  );
  const ranked = interleave(lists).map((document, at) => ({ ...document, score: 1 / (at + 1) }));
  const primary = query ?? (searches.find(({ type }) => type === 'lex') ?? searches[0]).query;
  const best = ranked.filter(({ score }) => score >= minScore).slice(0, limit);
  return results(best, primary, release);
}

function namesIn(index) {
  return [...new Set(index.documents.map((one) => one.collection))];
}

/** The first document of each list, then the second of each, without duplicates. */
function interleave(lists) {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  const all = Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? []));
  const key = (one) => `${one.collection}/${one.path}`;
  return [...new Map(all.flat().map((one) => [key(one), one])).values()];
}

function results(found, question, release) {
  const rows = found.map((document) => {
    const { line, snippet } = snippetOf(document.text, question);
    return {
      docid: `#${document.hash.slice(0, 6)}`,
      file: `${document.collection}/${document.path}`,
      title: document.title,
      score: Math.round(document.score * 100) / 100,
      context: null,
      ...(release.lineField ? { line } : {}),
      snippet: numbered(snippet, line),
    };
  });
  const lines = rows.map(
    ({ docid, score, file, title }) => `${docid} ${Math.round(score * 100)}% ${file} - ${title}`,
  );
  const head = `Found ${rows.length} result${rows.length === 1 ? '' : 's'} for "${question}":\n`;
  const text =
    rows.length === 0 ? `No results found for "${question}"` : [head, ...lines].join('\n');
  return { content: [{ type: 'text', text }], structuredContent: { results: rows } };
}

function errorResult(text) {
  return { content: [{ type: 'text', text }], isError: true };
}
