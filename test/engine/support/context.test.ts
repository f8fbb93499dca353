import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveStatePaths, stateVariables } from '../../../src/engine/support/context.js';

const test = suite('state paths');

test('the root folder as a home or state folder gives no path with two slashes', () => {
  const atRoot = { stateDir: '/.svc', cacheDir: '/.svc', userConfigFile: '/.svc/svc.json' };
  assert.equal(resolveStatePaths({}, '/'), atRoot);
  assert.is(resolveStatePaths({ SVC_HOME: '/' }, '/home/ada').userConfigFile, '/svc.json');
});

test('an environment from a file may have "~", which no shell has replaced', () => {
  const { stateDir } = resolveStatePaths({ SVC_HOME: '~/state' }, '/home/ada');
  assert.is(stateDir, '/home/ada/state');
  const { cacheDir } = resolveStatePaths({ XDG_CACHE_HOME: '~/cache' }, '/home/ada');
  assert.is(cacheDir, '/home/ada/cache/svc');
});

test('what starts svc elsewhere gets absolute paths', () => {
  const env = { SVC_HOME: 'state', XDG_CACHE_HOME: '~/cache', XDG_STATE_HOME: '', PATH: '/bin' };
  assert.equal(stateVariables({ env, cwd: '/srv', homeDir: '/home/ada' }), {
    SVC_HOME: '/srv/state',
    XDG_CACHE_HOME: '/home/ada/cache',
  });
});

test.run();
