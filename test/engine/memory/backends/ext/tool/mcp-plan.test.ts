import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  callsOf,
  type OfferedTool,
  planMcp,
} from '../../../../../../src/engine/memory/backends/ext/tool/mcp-session.js';

const test = suite('querying over MCP');

const offered = (name: string, ...properties: readonly string[]): OfferedTool => {
  return { name, properties: new Set(properties) };
};
const NEWEST = [
  offered('query', 'searches', 'query', 'limit', 'collections', 'rerank'),
  offered('get'),
];
const OLDER = [
  offered('search', 'query', 'limit', 'collection'),
  offered('vector_search', 'query', 'limit', 'collection'),
  offered('deep_search', 'query', 'limit', 'collection'),
];
const OLDEST = [
  offered('qmd_search', 'query', 'limit'),
  offered('qmd_vsearch', 'query'),
  offered('qmd_query', 'query'),
];

test('each mode has its tool in each release', () => {
  const names = (tools: readonly OfferedTool[]) =>
    (['search', 'vsearch', 'query'] as const).map((mode) => planMcp(tools, mode, undefined)?.name);
  assert.equal(names(NEWEST), ['query', 'query', 'query']);
  assert.equal(names(OLDER), ['search', 'vector_search', 'deep_search']);
  assert.equal(names(OLDEST), ['qmd_search', 'qmd_vsearch', 'qmd_query']);
  assert.equal(names([offered('get')]), [undefined, undefined, undefined]);
});

test('a tool that would load a model is not used for keyword search', () => {
  const always = [offered('query', 'searches', 'limit', 'collections')];
  assert.is(planMcp(always, 'search', undefined), undefined);
  assert.is(planMcp(always, 'query', undefined)?.name, 'query');
});

test('the configured tool takes precedence and has no substitute', () => {
  assert.is(planMcp([...OLDER, offered('mine', 'query')], 'search', 'mine')?.name, 'mine');
  assert.is(planMcp(OLDER, 'search', 'mine'), undefined);
});

test('a query has the form that the tool expects', () => {
  const calls = (tools: readonly OfferedTool[], mode: 'query' | 'search' | 'vsearch') => {
    const plan = planMcp(tools, mode, undefined);
    assert.ok(plan !== undefined);
    return callsOf(plan, { mode, query: 'two\nlines', collections: ['a', 'b'], limit: 3 });
  };
  const query = 'two lines';
  const rest = { limit: 3, collections: ['a', 'b'] };
  assert.equal(calls(NEWEST, 'search'), [
    { searches: [{ type: 'lex', query }], rerank: false, ...rest },
  ]);
  assert.equal(calls(NEWEST, 'vsearch'), [
    { searches: [{ type: 'vec', query }], rerank: false, ...rest },
  ]);
  assert.equal(calls(NEWEST, 'query'), [{ query, ...rest }]);
  assert.equal(calls(OLDER, 'search'), [
    { query, limit: 3, collection: 'a' },
    { query, limit: 3, collection: 'b' },
  ]);
  assert.equal(calls(OLDEST, 'search'), [{ query, limit: 3 }]);
});

test.run();
