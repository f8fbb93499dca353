import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveStatePaths } from '../../../src/engine/support/context.js';

const test = suite('state paths');

test('the root folder as a home or state folder gives no path with two slashes', () => {
  const atRoot = { stateDir: '/.svc', cacheDir: '/.svc', userConfigFile: '/.svc/svc.json' };
  assert.equal(resolveStatePaths({}, '/'), atRoot);
  assert.is(resolveStatePaths({ SVC_HOME: '/' }, '/home/ada').userConfigFile, '/svc.json');
});

test.run();
