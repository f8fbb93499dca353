import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  createJsonSchema,
  initConfig,
  referenceByRoot,
} from '../../../src/engine/config/authoring.js';
import { loadConfig } from '../../../src/engine/config/index.js';
import { resolveConfig } from '../../../src/engine/config/resolve-config.js';
import { failureOf } from '../../support/failure.js';
import { inWorld } from './support.js';

const test = suite('starting a configuration, and its references');
const { signal } = new AbortController();

test('init writes a commented file that is equivalent to none', () =>
  inWorld(async ({ context, at }) => {
    const { file, schemaFile } = await initConfig(context, { force: false, signal });
    assert.is(file, at('home/.svc/svc.json'));
    assert.match(readFileSync(file, 'utf8'), '// ');
    assert.is(JSON.parse(readFileSync(schemaFile, 'utf8')).type, 'object');
    const loaded = await loadConfig(context);
    assert.is(loaded.file, file);
    assert.is(loaded.input.$schema, './svc.schema.json');
    assert.equal(loaded.warnings, []);
    assert.equal(loaded.resolved, resolveConfig({}));
    // A default that is written is a choice, with which an import would conflict.
    const sections = { agents: { defaults: { memorySearch: { query: {}, sync: {} } } } };
    const { $schema: _, ...written } = loaded.input;
    assert.equal(written, { ...sections, models: { providers: {} }, memory: {} });
  }));

test('init keeps a file that is there unless it is forced', () =>
  inWorld(async ({ context, write }) => {
    const file = write('project/deep/own.json', 'mine');
    const error = await failureOf(() =>
      initConfig(context, { configFile: 'own.json', force: false, signal }),
    );
    assert.is(error.code, 'CONFIG_EXISTS');
    assert.is(readFileSync(file, 'utf8'), 'mine');
    await initConfig(context, { configFile: 'own.json', force: true, signal });
    assert.match(readFileSync(file, 'utf8'), '$schema');
  }));

interface SchemaNode {
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | false;
}

const schema: SchemaNode = JSON.parse(JSON.stringify(createJsonSchema()));

function nodeAt(path: string): SchemaNode | undefined {
  let node: SchemaNode | undefined = schema;
  for (const key of path.split('.')) {
    const open: SchemaNode | false | undefined = node?.additionalProperties;
    node = key === '*' ? open || undefined : node?.properties?.[key];
  }
  return node;
}

test('the JSON Schema knows descriptions, defaults, choices and refuses unknown keys', () => {
  const search = 'agents.defaults.memorySearch';
  assert.is(nodeAt(`${search}.query.maxResults`)?.default, 6);
  assert.equal(nodeAt('memory.backend')?.enum, ['builtin', 'ext']);
  assert.is(nodeAt('plugins.entries.webhooks.config.routes.*.enabled')?.default, true);
  assert.is(schema.additionalProperties, false);
  assert.is(nodeAt('memory.ext')?.additionalProperties, false);
});

test('every key of the JSON Schema has a description', () => {
  const check = (node: SchemaNode, path: string): void => {
    for (const [key, child] of Object.entries(node.properties ?? {})) {
      assert.ok((child.description ?? '').length > 3, `${path}.${key}`);
      check(child, `${path}.${key}`);
    }
    if (node.additionalProperties) check(node.additionalProperties, `${path}.*`);
  };
  check(schema, '');
});

test('the reference has every key with a type, and the defaults that hold', () => {
  const keys = [...referenceByRoot().values()].flat();
  assert.ok(keys.length > 180);
  assert.ok(keys.every(({ type, description }) => type !== '' && description !== ''));
  const defaultOf = (path: string) => keys.find((key) => key.path === path)?.default;
  assert.is(defaultOf('agents.defaults.memorySearch.query.hybrid.vectorWeight'), '`0.7`');
  assert.is(defaultOf('agents.defaults.workspace'), '`~/.svc/workspace`');
  assert.is(defaultOf('secrets.providers.<id>.mode'), '`"json"`');
  assert.is(defaultOf('logging.file'), undefined);
  // A list and a map of objects differ in how one of them is named.
  const paths = keys.map(({ path }) => path);
  assert.ok(paths.includes('flows.notify.targets[].id'));
  assert.ok(paths.includes('models.providers.<id>.models[].id'));
});

test.run();
