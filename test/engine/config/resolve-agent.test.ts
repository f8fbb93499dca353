import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  defaultAgentId,
  listAgents,
  loadConfig,
  type ResolvedAgent,
  resolveAgent,
} from '../../../src/engine/config/index.js';
import { failureOf } from '../../support/failure.js';
import { inWorld, type World } from './support.js';

const test = suite('one agent’s settings');

async function agentOf(world: World, config: unknown, id?: string): Promise<ResolvedAgent> {
  const configFile = world.write('project/svc.json', JSON.stringify(config));
  return resolveAgent(await loadConfig(world.context, { configFile }), id, world.context);
}

test('without configuration there is one agent, main, in the state folder', () =>
  inWorld(async ({ context, at }) => {
    const loaded = await loadConfig(context);
    assert.equal(listAgents(loaded.resolved), ['main']);
    assert.is(defaultAgentId(loaded.resolved), 'main');
    const agent = resolveAgent(loaded, undefined, context);
    assert.is(agent.id, 'main');
    assert.is(agent.workspaceDir, at('home/.svc/workspace'));
    assert.is(agent.memorySearch.store.path, at('home/.svc/memory/main.sqlite'));
    assert.is(agent.memorySearch.local.modelCacheDir, at('home/.svc/models'));
    assert.is(agent.backend, 'builtin');
    assert.is(agent.citations, 'auto');
  }));

test('the first agent is the default unless another one is marked', () =>
  inWorld(async (world) => {
    const first = { agents: { list: [{ id: 'a' }, { id: 'b' }] } };
    assert.is((await agentOf(world, first)).id, 'a');
    const marked = { agents: { list: [{ id: 'a' }, { id: 'b', default: true }] } };
    assert.is((await agentOf(world, marked)).id, 'b');
  }));

test('an unknown agent is an error that suggests one', () =>
  inWorld(async (world) => {
    const error = await failureOf(() =>
      agentOf(world, { agents: { list: [{ id: 'research' }] } }, 'reserch'),
    );
    assert.is(error.code, 'AGENT_UNKNOWN');
    assert.match(error.hint ?? '', 'did you mean "research"?');
  }));

test('memorySearch is overridden field by field', () =>
  inWorld(async (world) => {
    const config = {
      agents: {
        defaults: {
          memorySearch: {
            provider: 'openai',
            sources: ['memory', 'sessions'],
            query: { maxResults: 8, hybrid: { vectorWeight: 0.5 } },
          },
        },
        list: [
          {
            id: 'a',
            memorySearch: { sources: ['sessions'], query: { hybrid: { textWeight: 0.1 } } },
          },
        ],
      },
    };
    const { memorySearch } = await agentOf(world, config, 'a');
    assert.is(memorySearch.provider, 'openai');
    assert.equal(memorySearch.sources, ['sessions']);
    assert.is(memorySearch.query.maxResults, 8);
    assert.is(memorySearch.query.hybrid.vectorWeight, 0.5);
    assert.is(memorySearch.query.hybrid.textWeight, 0.1);
    assert.is(memorySearch.query.minScore, 0.25);
  }));

test('a secret reference of an agent replaces that of the defaults as a whole', () =>
  inWorld(async (world) => {
    const config = {
      secrets: { providers: { p: { source: 'env' }, default: { source: 'file', path: '/s' } } },
      agents: {
        defaults: {
          memorySearch: { remote: { apiKey: { source: 'env', provider: 'p', id: 'A' } } },
        },
        list: [{ id: 'a', memorySearch: { remote: { apiKey: { source: 'file', id: '/x' } } } }],
      },
    };
    const { memorySearch } = await agentOf(world, config, 'a');
    assert.equal(memorySearch.remote.apiKey, {
      kind: 'reference',
      source: 'file',
      provider: 'default',
      id: '/x',
    });
  }));

test('extraPaths are merged without duplicates, as written except for the home folder', () =>
  inWorld(async (world) => {
    const config = {
      agents: {
        defaults: { memorySearch: { extraPaths: ['~/notes', 'docs', ' docs '] } },
        list: [{ id: 'a', memorySearch: { extraPaths: ['/abs', 'docs'] } }],
      },
    };
    const { memorySearch } = await agentOf(world, config, 'a');
    assert.equal(memorySearch.extraPaths, [world.at('home/notes'), 'docs', '/abs']);
  }));

test('relative paths start at the folder of the file', () =>
  inWorld(async (world) => {
    const config = {
      agents: {
        defaults: {
          workspace: 'notes',
          memorySearch: { store: { path: 'index/{agentId}.db' }, local: { modelPath: 'm.gguf' } },
        },
        list: [{ id: 'a' }, { id: 'b', workspace: '~/b' }],
      },
    };
    const a = await agentOf(world, config, 'a');
    assert.is(a.workspaceDir, world.at('project/notes'));
    assert.is(a.memorySearch.store.path, world.at('project/index/a.db'));
    assert.is(a.memorySearch.local.modelPath, world.at('project/m.gguf'));
    assert.is((await agentOf(world, config, 'b')).workspaceDir, world.at('home/b'));
  }));

test('a downloadable model is not a path', () =>
  inWorld(async (world) => {
    const local = { modelPath: 'hf:org/model/file.gguf' };
    const agent = await agentOf(world, { agents: { defaults: { memorySearch: { local } } } });
    assert.is(agent.memorySearch.local.modelPath, local.modelPath);
  }));

test('backend and citations come from memory', () =>
  inWorld(async (world) => {
    const agent = await agentOf(world, { memory: { backend: 'ext', citations: 'off' } });
    assert.is(agent.backend, 'ext');
    assert.is(agent.citations, 'off');
  }));

test('a reader’s path is relative to the file, and may be one of the agent’s own', () =>
  inWorld(async (world) => {
    const readers = ['svc', { id: 'codex', path: 'logs/{agentId}' }, { id: 'cursor', path: '~/c' }];
    const agent = await agentOf(world, { sessions: { readers } });
    assert.equal(agent.sessionReaders, [
      { id: 'svc' },
      { id: 'codex', path: world.at('project/logs/main') },
      { id: 'cursor', path: world.at('home/c') },
    ]);
  }));

test('the folders of a project are its workspace and that of its configuration, never a home', () =>
  inWorld(async (world) => {
    const project = await agentOf(world, { agents: { defaults: { workspace: './notes' } } });
    assert.equal(project.projectDirs, [world.at('project/notes'), world.at('project')]);
    world.write('home/svc.json', '{}');
    const loaded = await loadConfig(world.context, { configFile: world.at('home/svc.json') });
    assert.equal(resolveAgent(loaded, undefined, world.context).projectDirs, [
      world.at('home/.svc/workspace'),
    ]);
  }));

test.run();
