import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { routeFinder } from '../../../src/engine/webhooks/routes.js';
import { routeOf } from '../../support/webhooks.js';

const find = routeFinder([routeOf('ci', '/hooks/ci'), routeOf('ü', '/hooks/ü')]);

test('a route is found with slashes at its end, a query and escapes', () => {
  for (const url of ['/hooks/ci', '/hooks/ci?a=b', '/hooks/ci/', '/hooks/ci///?x']) {
    assert.is(find(url)?.id, 'ci', url);
  }
  assert.is(find('/hooks/%C3%BC/')?.id, 'ü');
  for (const url of ['', '/', '//', '/hooks', '/hooks/ci/x', '/hooks/%ff', '*']) {
    assert.is(find(url), undefined, url);
  }
});

test('a path can be configured with escapes, and another path has others', () => {
  const escaped = routeFinder([routeOf('ab', '/hooks/a%20b/'), routeOf('100', '/hooks/100%25')]);
  assert.is(escaped('/hooks/a%20b')?.id, 'ab');
  assert.is(escaped('/hooks/100%25')?.id, '100');
  const kept = routeFinder([routeOf('kept', '/hooks/a%2fb')]);
  for (const url of ['/hooks/a%2Fb', '/hooks/a%2fb']) assert.is(kept(url)?.id, 'kept', url);
  for (const url of ['/hooks/a%2520b', '/hooks/a%25b', '/hooks/100%2525', '/hooks/100']) {
    assert.is(escaped(url), undefined, url);
  }
});

test('a route can be at the root', () => {
  const root = routeFinder([routeOf('root', '/')]);
  for (const url of ['/', '//', '/?a=b']) assert.is(root(url)?.id, 'root', url);
  for (const url of ['/hooks', '*']) assert.is(root(url), undefined, url);
});

test('a path of a million slashes costs no more than reading it', () => {
  const url = `/${'/'.repeat(1_000_000)}x`;
  const started = process.cpuUsage();
  for (let n = 0; n < 100; n++) assert.is(find(url), undefined);
  // The time of a quadratic look at it would be counted in hours.
  assert.ok(process.cpuUsage(started).user < 5_000_000);
});

test.run();
