import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  SharedRecalls,
  sharedRecallStore,
} from '../../../../src/engine/dreaming/recall-log/shared-recalls.js';
import { Forgotten, hashesOf } from '../../../../src/engine/memory/forgotten/index.js';
import { migratedDatabase, testServers } from '../../../support/postgres.js';
import { storageHost } from '../../storage/support.js';

const SECRET = 'the code of the garage is under the third flower pot';

for (const postgres of await testServers()) {
  const test = suite(`recalls shared on ${postgres.name}`);
  test.after(() => postgres.stop());

  test('searches that found forgotten text are deleted, whoever searched', async () => {
    const { context, loaded } = storageHost(await migratedDatabase(postgres));
    const openAs = (agent: string, origin: string) =>
      SharedRecalls.open({ agent, origin, config: loaded.resolved }, context);
    const found = (...texts: readonly string[]) => {
      const place = { source: 'memory', path: 'a.md', startLine: 1, endLine: 1, score: 1 } as const;
      return { atMs: 1, queryHash: 'q', claims: texts.map((text) => ({ text, ...place })) };
    };
    const here = await openAs('main', 'here');
    const there = await openAs('main', 'there');
    const other = await openAs('other', 'here');
    await here.append(found('the garden has roses', SECRET));
    await there.append(found(SECRET));
    await there.append(found('the garden has roses'));
    await other.append(found(SECRET));

    const forgotten = new Forgotten('salt', [{ documents: [], lines: [hashesOf('salt', SECRET)] }]);
    const store = sharedRecallStore(here.place, context);
    assert.equal(await store.follow(forgotten), { store: 'recalls', changed: 2, clean: true });
    assert.equal(
      (await here.after(0)).map(({ number }) => number),
      [3],
    );
    assert.is((await other.after(0)).length, 1, 'another agent has a list of its own');
    for (const server of context.servers?.values() ?? []) await (await server).close();
  });

  test.run();
}
