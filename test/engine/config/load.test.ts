import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { discoverConfig, inspectConfig, loadConfig } from '../../../src/engine/config/index.js';
import { failureOf } from '../../support/failure.js';
import { inWorld } from './support.js';

const test = suite('finding and loading a configuration');

const citing = (citations: string): string => JSON.stringify({ memory: { citations } });

test('without any file the defaults are in effect', () =>
  inWorld(async ({ context }) => {
    const loaded = await loadConfig(context);
    assert.is(loaded.file, undefined);
    assert.equal(loaded.input, {});
    assert.is(loaded.resolved.memory.citations, 'auto');
    assert.equal(loaded.warnings, []);
  }));

test("the flag overrides the variable, the nearest file and the user's own", () =>
  inWorld(
    async ({ context, write }) => {
      const named = write('project/deep/other.json', citing('off'));
      write('project/env.json', citing('on'));
      write('project/svc.json', citing('on'));
      write('home/.svc/svc.json', citing('on'));
      const loaded = await loadConfig(context, { configFile: 'other.json' });
      assert.is(loaded.file, named);
      assert.is(loaded.resolved.memory.citations, 'off');
      assert.is(discoverConfig(context, 'other.json').origin, 'flag');
    },
    { SVC_CONFIG: '../env.json' },
  ));

test('the variable overrides the nearest file', () =>
  inWorld(
    async ({ context, write }) => {
      const named = write('home/env.json', citing('off'));
      write('project/svc.json', citing('on'));
      assert.is((await loadConfig(context)).file, named);
      assert.is(discoverConfig(context, undefined).origin, 'environment');
      // The flag has the variable as its twin, so the command line passes its value on.
      assert.is(discoverConfig(context, '~/env.json').origin, 'environment');
    },
    { SVC_CONFIG: '~/env.json' },
  ));

test("the nearest file upward overrides the user's own, and every location is listed", () =>
  inWorld(async ({ context, write, at }) => {
    write('svc.json', citing('on'));
    const nearest = write('project/svc.json', citing('off'));
    write('home/.svc/svc.json', citing('on'));
    assert.equal(discoverConfig(context, undefined), {
      file: nearest,
      origin: 'nearest',
      searched: [
        { file: at('project/deep/svc.json'), origin: 'nearest', found: false },
        { file: nearest, origin: 'nearest', found: true },
      ],
    });
  }));

test("the user's own file is the last resort", () =>
  inWorld(async ({ context, write }) => {
    const own = write('home/.svc/svc.json', citing('off'));
    assert.is((await loadConfig(context)).file, own);
    assert.is(discoverConfig(context, undefined).origin, 'user');
  }));

test('other programs’ configuration in the current folder is not run', () =>
  inWorld(async ({ context, write }) => {
    write('project/deep/.config/config.cjs', 'globalThis.svcWasTricked = true;');
    write('project/deep/package.json', '{"svc": {"memory": {"citations": "off"}}}');
    assert.is((await loadConfig(context)).resolved.memory.citations, 'auto');
    assert.not.ok('svcWasTricked' in globalThis);
  }));

test('a named file that is missing is an error', () =>
  inWorld(async ({ context, at }) => {
    const error = await failureOf(() => loadConfig(context, { configFile: 'none.json' }));
    assert.is(error.code, 'CONFIG_NOT_FOUND');
    assert.match(error.message, at('project/deep/none.json'));
  }));

test('a folder of that name is an error and not skipped', () =>
  inWorld(async ({ context, write, at }) => {
    mkdirSync(at('project/svc.json'));
    write('home/.svc/svc.json', citing('off'));
    const error = await failureOf(() => loadConfig(context));
    assert.is(error.code, 'CONFIG_UNREADABLE');
    assert.match(error.message, 'folder');
  }));

test('an unreadable file is an error and not skipped', () =>
  inWorld(async ({ context, write }) => {
    if (process.getuid?.() === 0) return;
    chmodSync(write('project/svc.json', citing('off')), 0);
    const error = await failureOf(() => loadConfig(context));
    assert.is(error.code, 'CONFIG_UNREADABLE');
    assert.match(error.hint ?? '', 'chmod');
  }));

test('a link that leads to itself is an error', () =>
  inWorld(async ({ context, at }) => {
    symlinkSync(at('project/svc.json'), at('project/svc.json'));
    assert.is((await failureOf(() => loadConfig(context))).code, 'CONFIG_UNREADABLE');
  }));

test('an empty file is an error that says so', () =>
  inWorld(async ({ context, write }) => {
    write('project/svc.json', '');
    const error = await failureOf(() => loadConfig(context));
    assert.is(error.code, 'CONFIG_SYNTAX');
    assert.match(error.message, 'the file is empty');
  }));

test('a file of 10 MB is refused', () =>
  inWorld(async ({ context, write }) => {
    write('project/svc.json', ' '.repeat(10_000_000));
    const error = await failureOf(() => loadConfig(context));
    assert.is(error.code, 'CONFIG_UNREADABLE');
    assert.match(error.message, /9\.5 MiB; the limit is 4 MiB/);
  }));

test('a UTF-8 byte order mark is no fault, and columns do not count it', () =>
  inWorld(async ({ context, write }) => {
    write('project/svc.json', '\uFEFF{"memory": {"citations": 1}}');
    const { faults } = await inspectConfig(context);
    assert.is(faults.length, 1);
    assert.is(faults[0]?.location.column, 26);
    write('project/svc.json', `\uFEFF${citing('on')}`);
    assert.is((await loadConfig(context)).resolved.memory.citations, 'on');
  }));

test('text in another encoding is an error that says what to do', () =>
  inWorld(async ({ context, write }) => {
    write('project/svc.json', Buffer.from(`\uFEFF${citing('on')}`, 'utf16le'));
    const utf16 = await failureOf(() => loadConfig(context));
    assert.is(utf16.code, 'CONFIG_SYNTAX');
    assert.match(utf16.message, 'UTF-16');
    write('project/svc.json', Buffer.from([0x7b, 0xff, 0x7d]));
    assert.match((await failureOf(() => loadConfig(context))).message, 'not UTF-8');
  }));

test('broken syntax is thrown with the first place and every fault', () =>
  inWorld(async ({ context, write }) => {
    const file = write('project/svc.json', '{\n  "memory": nope,\n  "agents" {}\n}');
    const error = await failureOf(() => loadConfig(context));
    assert.is(error.code, 'CONFIG_SYNTAX');
    assert.equal(error.location, { file, line: 2, column: 13 });
    const faults = error.details?.['faults'];
    assert.ok(Array.isArray(faults) && faults.length >= 2);
  }));

test('an invalid file is thrown with the first place and every fault', () =>
  inWorld(async ({ context, write }) => {
    const file = write('project/svc.json', '{\n  "memry": {},\n  "gateway": { "port": "x" }\n}');
    const error = await failureOf(() => loadConfig(context));
    assert.is(error.code, 'CONFIG_INVALID');
    assert.equal(error.location, { file, line: 2, column: 3 });
    assert.match(error.message, 'did you mean "memory"?');
    const faults = error.details?.['faults'];
    assert.ok(Array.isArray(faults) && faults.length === 2);
  }));

test('a dangling link is an error and not skipped', () =>
  inWorld(async ({ context, at, write }) => {
    write('home/.svc/svc.json', '{}');
    symlinkSync(at('nowhere.json'), at('project/svc.json'));
    const error = await failureOf(() => loadConfig(context));
    assert.is(error.code, 'CONFIG_UNREADABLE');
    assert.match(error.message, 'symbolic link to a file that does not exist');
  }));

test('a file with warnings is loaded, and the warnings name the place', () =>
  inWorld(async ({ context, write }) => {
    const file = write('project/svc.json', '{ "logging": { "file": "../svc.log" } }');
    const { warnings } = await loadConfig(context, { configFile: file });
    assert.is(warnings.length, 1);
    assert.is(warnings[0]?.code, 'CONFIG_WARNING');
    assert.match(warnings[0]?.message ?? '', `${file}:1:24 logging.file`);
  }));

test('the resolved configuration cannot be changed', () =>
  inWorld(async ({ context, write }) => {
    write(
      'project/svc.json',
      '{ "agents": { "defaults": { "memorySearch": { "extraPaths": ["a"] } } } }',
    );
    const { resolved } = await loadConfig(context);
    const paths: unknown = resolved.agents.defaults.memorySearch.extraPaths;
    assert.ok(Array.isArray(paths));
    assert.throws(() => Array.isArray(paths) && paths.push('b'), TypeError);
  }));

test.run();
